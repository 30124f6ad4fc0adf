"""Windows: pooling, each output over the few inputs that it sees."""

import math
from collections.abc import Iterator, Sequence

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Index, contiguous, offset, split
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import Number, atom, extent, times
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

MOST_ONE_BY_ONE = 1024
"""Places of a window; a sum of more that is taken one after the other is far off."""
BLOCKS = ((256, 4), (512, 4), (1024, 4), (1024, 8))
"""Outputs of a program, and warps; of equal cost the first is taken. Two outputs a thread were the fastest:
80 µs for a max_pool2d that takes 139 µs with four."""


class Windows:
    """A program computes a block of neighbouring outputs, going over the places of a window."""

    name = "windows"

    def fits(self, program: Program, group: Group) -> bool:
        return is_pool(program, group) and Window(program, group).num_places <= MOST_ONE_BY_ONE

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [{"BLOCK": block, "warps": warps} for block, warps in BLOCKS]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        size = program.values[group.outputs(program)[0]].num_elements
        return memory_us(moved_bytes(program, group), -(-size // sizes["BLOCK"]), sizes["warps"])

    def write(
        self, program: Program, group: Group, name: str, stored: frozenset[int], sizes: Sizes
    ) -> Kernel:
        assert group.anchor is not None
        written = group.outputs(program)
        size = extent(program.values[group.anchor].shape)

        def special(scope: Scope, value: int, index: Index) -> str | None:
            return _pooled(scope, Window(program, group), value, index) if value == group.anchor else None

        scope = Scope(program, stored, {"at": "mask"}, special)
        scope.comment("This program's outputs.")
        scope.line("at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
        scope.line(f"mask = at < {size}")
        index = split("at", program.values[group.anchor].shape)
        scope.comment(f"Compute {steps(program, group)}.")
        scope.store(dict.fromkeys(written, index))
        read = scope.loaded
        block = sizes["BLOCK"]
        grid = (f"triton.cdiv({size}, {block})",)
        return Kernel(
            function(name, read, written, ["BLOCK"], scope.lines),
            launch(program, name, read, written, grid, {"BLOCK": block}, sizes["warps"]),
            f"{name}: {self.name}, {size} of them in blocks of {block}, {sizes['warps']} warps; "
            "the places of a window are gone over one by one.",
        )


def is_pool(program: Program, group: Group) -> bool:
    node = program.node_of(group.anchor) if group.anchor is not None else None
    return node is not None and "_pool" in node.op


class Window:
    """What an output of a pool sees, and how that is read."""

    def __init__(self, program: Program, group: Group) -> None:
        assert group.anchor is not None
        node = program.node_of(group.anchor)
        assert node is not None
        self.read, self.attrs = node.operands[0], node.attrs
        self.is_adaptive, self.is_largest = "adaptive" in node.op, "max" in node.op
        sizes = self.attrs["output_size" if self.is_adaptive else "kernel_size"]
        self.num_axes = len(sizes)
        self.image = program.values[self.read].shape
        self.sides = self.image[-self.num_axes :]
        self.made = program.values[group.anchor].shape[-self.num_axes :]
        self.reach = [_most_seen(*each) for each in zip(self.sides, self.made, strict=True)]
        if not self.is_adaptive:
            self.reach = list(sizes)

    @property
    def num_places(self) -> int:
        return math.prod(self.reach)

    @property
    def is_counted(self) -> bool:
        """Whether outputs see more or fewer places, and the mean is over those seen."""
        alike = self.attrs.get("count_include_pad", True) and not self.is_adaptive
        return not (self.is_largest or alike)

    @property
    def start(self) -> str:
        return '-float("inf")' if self.is_largest else "0.0"

    def lines(self, axis: int, index: Index, tap: str) -> Iterator[str]:
        """Where a tap of an output lies along an axis."""
        size, place = self.sides[axis], index[axis - self.num_axes]
        at = str(place) if place else "0"
        if self.is_adaptive:
            out = self.made[axis]
            yield f"at_{axis} = {_of(at, size)} // {out} + {tap}"
            yield f"end_{axis} = ({_of(f'({at} + 1)', size)} + {out} - 1) // {out}"
        else:
            dilation = self.attrs.get("dilation", (1,) * self.num_axes)[axis]
            padding = f" - {self.attrs['padding'][axis]}" if self.attrs["padding"][axis] else ""
            yield f"at_{axis} = {_of(at, self.attrs['stride'][axis])} + {_of(tap, dilation)}{padding}"

    @property
    def tests(self) -> list[str]:
        """Whether a tap lies in the window and in the image."""
        axes = range(self.num_axes)
        if self.is_adaptive:
            return [f"(at_{axis} < end_{axis})" for axis in axes]
        padded = [axis for axis in axes if self.attrs["padding"][axis]]
        return [test for a in padded for test in (f"(at_{a} >= 0)", f"(at_{a} < {self.sides[a]})")]

    def begin(self, scope: Scope, shape: str) -> None:
        """Nothing has been gone over."""
        scope.reads(self.read)
        scope.line(f"window = tl.full({shape}, {self.start}, dtype=tl.float32)")
        if self.is_counted:
            scope.line(f"seen = tl.full({shape}, 0.0, dtype=tl.float32)")

    def add(self, scope: Scope, index: Index, tests: Sequence[str], together: str = "{each}") -> None:
        """What lies at the taps; `together` makes one number of those of an output."""
        largest, total = (together.format(how=how, each="seen_now") for how in ("max", "sum"))
        scope.line(f"seen_now = {self._load(index, tests)}")
        scope.line(f"window = tl.maximum(window, {largest})" if self.is_largest else f"window += {total}")
        if self.is_counted:
            inside = f"tl.where({' & '.join(tests)}, 1.0, 0.0)"
            scope.line(f"seen += {together.format(how='sum', each=inside)}")

    def _load(self, index: Index, tests: Sequence[str]) -> str:
        strides = contiguous(self.image)
        outer = offset(index[: -self.num_axes], strides[: -self.num_axes])
        terms = [_of(f"at_{axis}", step) for axis, step in enumerate(strides[-self.num_axes :])]
        where = " + ".join([*([outer] if outer != "0" else []), *terms])
        mask = f", mask={' & '.join(tests)}, other={self.start}" if tests else ""
        return f"tl.load({variable(self.read)}_ptr + {where}{mask})"

    def result(self) -> str:
        """Of what was gone over, `window`."""
        if self.is_largest:
            return "window"
        return "window / seen" if self.is_counted else f"window / {atom(times(*self.reach))}"


def _pooled(scope: Scope, window: Window, value: int, index: Index) -> str:
    window.begin(scope, "(BLOCK,)")
    before = scope.indent
    for axis, size in enumerate(window.reach):
        scope.line(f"for tap_{axis} in range({size}):")
        scope.indent += "    "
        for line in window.lines(axis, index, f"tap_{axis}"):
            scope.line(line)
    window.add(scope, index, ["mask", *window.tests])
    scope.indent = before
    return scope.named(value, window.result())


def _most_seen(size: int, out: int) -> Number:
    """By an output of adaptive pooling: where windows are not all alike, two of them share an end."""
    return Number(size // out + 2 * (size % out > 0), f"{size} // {out} + 2 * ({size} % {out} > 0)")


def _of(text: str, factor: int) -> str:
    atom = text if text.isidentifier() or text.startswith("(") else f"({text})"
    return atom if factor == 1 else f"{atom} * {factor}"
