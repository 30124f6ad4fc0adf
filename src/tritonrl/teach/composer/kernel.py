"""A kernel as it is written: its function, how it is launched, and the words of the plan."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group

LONGEST_NAME = 40
MOST_ALONG = 65535
"""Programs along an axis of a grid that is not its first."""


@dataclass(frozen=True)
class Kernel:
    """Text for one group."""

    function: str
    launch: str
    """Lines of the host."""
    way: str
    """For the plan: which strategy, which sizes, and why."""


def kernel_name(program: Program, group: Group) -> str:
    """After its operators, as many as there is room for."""
    names = (
        name for name in accumulate(_operators(program, group), "{}_{}".format) if len(name) <= LONGEST_NAME
    )
    return f"{max(names, key=len)}_kernel"


def steps(program: Program, group: Group) -> str:
    """What a kernel computes, in words."""
    *others, last = _operators(program, group)
    return f"{', '.join(others)} and {last}" if others else last


def _operators(program: Program, group: Group) -> list[str]:
    """In order, none twice."""
    nodes = (program.node_of(value) for value in group.values)
    return list(dict.fromkeys(node.op for node in nodes if node is not None))


def function(
    name: str, read: Sequence[int], written: Sequence[int], constants: Sequence[str], lines: Sequence[str],
    beside: Sequence[str] = (),
) -> str:  # fmt: skip
    """The kernel's text. `beside` are tensors that are no values of the program."""
    pointers = [f"{each}_ptr" for each in _tensors(read, written, beside)]
    arguments = ", ".join([*pointers, *(f"{each}: tl.constexpr" for each in constants)])
    return "\n".join(["@triton.jit", f"def {name}({arguments}):", *lines])


def batched(tiles: str, batches: int) -> tuple[tuple[str | int, ...], str, str]:
    """A grid of tiles in batches, and how a program knows its tile and its batch. Tiles of a batch run
    together, unless there are more batches than an axis takes."""
    if batches > MOST_ALONG:
        return (batches, tiles), "tl.program_id(1)", "tl.program_id(0)"
    grid = (tiles, batches) if batches > 1 else (tiles,)
    return grid, "tl.program_id(0)", "tl.program_id(1)"


def launch(
    program: Program,
    name: str,
    read: Sequence[int],
    written: Sequence[int],
    grid: Sequence[str | int],
    constants: Mapping[str, int],
    num_warps: int,
    beside: Sequence[str] = (),
) -> str:
    """Outputs are made, and the kernel is launched."""
    lines = []
    for value in written:
        spec = program.values[value]
        lines.append(
            f"{variable(value)} = torch.empty({spec.shape}, device=tensor_0.device, dtype=torch.{spec.dtype})"
        )
    arguments = _tensors(read, written, beside)
    arguments += [f"{key}={number}" for key, number in {**constants, "num_warps": num_warps}.items()]
    dims = ", ".join(map(str, grid)) + ("," if len(grid) == 1 else "")
    lines.append(f"{name}[({dims})]({', '.join(arguments)})")
    return "\n".join(f"    {line}" for line in lines)


def _tensors(read: Sequence[int], written: Sequence[int], beside: Sequence[str]) -> list[str]:
    """In an order that no body decides: those read and those written by their numbers."""
    return [*map(variable, sorted(read)), *beside, *map(variable, sorted(written))]


def power_of_two(number: int) -> int:
    """The next one from here."""
    return 1 << max(0, number - 1).bit_length()


def distinct(choices: Iterable[Mapping[str, int]]) -> list[Mapping[str, int]]:
    """Sizes in order, none twice."""
    found: list[Mapping[str, int]] = []
    for each in choices:
        if each not in found:
            found.append(each)
    return found
