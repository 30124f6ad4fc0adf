"""A kernel as it is written: its function, how it is launched, and the words of the plan."""

from dataclasses import dataclass

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group

LONGEST_NAME = 40


@dataclass(frozen=True)
class Kernel:
    """Text for one group."""

    function: str
    launch: str
    """Lines of the host."""
    plan: str
    """Which strategy, which sizes, and why."""


def kernel_name(program: Program, group: Group) -> str:
    """After its operators."""
    nodes = (program.node_of(value) for value in group.values)
    name = "_".join(dict.fromkeys(node.op for node in nodes if node is not None))
    return f"{name[:LONGEST_NAME].rstrip('_')}_kernel"


def function(name: str, read: list[int], written: list[int], constants: list[str], lines: list[str]) -> str:
    """The kernel's text."""
    pointers = [f"{variable(value)}_ptr" for value in (*read, *written)]
    arguments = ", ".join([*pointers, *(f"{each}: tl.constexpr" for each in constants)])
    return "\n".join(["@triton.jit", f"def {name}({arguments}):", *lines])


def launch(
    program: Program,
    name: str,
    read: list[int],
    written: list[int],
    grid: str,
    constants: dict[str, int],
    num_warps: int,
) -> str:
    """Outputs are made, and the kernel is launched."""
    lines = []
    for value in written:
        spec = program.values[value]
        lines.append(
            f"{variable(value)} = torch.empty({spec.shape}, device=tensor_0.device, dtype=torch.{spec.dtype})"
        )
    arguments = [variable(value) for value in (*read, *written)]
    arguments += [f"{key}={number}" for key, number in {**constants, "num_warps": num_warps}.items()]
    lines.append(f"{name}[({grid},)]({', '.join(arguments)})")
    return "\n".join(f"    {line}" for line in lines)


def power_of_two(number: int) -> int:
    """The next one from here."""
    return 1 << max(0, number - 1).bit_length()
