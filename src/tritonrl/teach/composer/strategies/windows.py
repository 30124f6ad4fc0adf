"""Windows: pooling, each output over the few inputs that it sees."""

import math
from collections.abc import Sequence

from tritonrl.program.emit import variable
from tritonrl.program.program import Program
from tritonrl.program.shapes import contiguous
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Axis, Index, offset, split
from tritonrl.teach.composer.kernel import Kernel, function, launch, steps
from tritonrl.teach.composer.numbers import Number, atom, extent, plus, quotient, times
from tritonrl.teach.composer.products import scaled, summed
from tritonrl.teach.composer.scope import Scope
from tritonrl.teach.composer.strategies.cost import memory_us, moved_bytes
from tritonrl.teach.composer.strategies.strategy import Sizes

MOST_ONE_BY_ONE = 1024
"""Places of a window; a sum of more that is taken one after the other is far off."""
BLOCKS = ((256, 4), (512, 4), (1024, 4), (1024, 8))
"""Outputs of a program, and warps; of equal cost the first is taken. Two outputs a thread were the fastest:
80 µs for a max_pool2d that takes 139 µs with four."""
MOST_APART = 8
"""Elements from one window to the next, where each brings a sector of its own: windows of 37 read a sixth of
what memory gives."""


class Windows:
    """A program computes a block of neighbouring outputs, going over the places of a window."""

    name = "windows"

    def fits(self, program: Program, group: Group) -> bool:
        return is_pool(program, group) and Window(program, group).num_places <= MOST_ONE_BY_ONE

    def choices(self, program: Program, group: Group) -> list[Sizes]:
        return [{"BLOCK": block, "warps": warps} for block, warps in BLOCKS]

    def cost(self, program: Program, group: Group, sizes: Sizes) -> float:
        size = program.values[group.outputs(program)[0]].num_elements
        apart = min(Window(program, group).step, MOST_APART)
        return memory_us(moved_bytes(program, group) * apart, -(-size // sizes["BLOCK"]), sizes["warps"])

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
            f"{self.name}, {size} of them in blocks of {block}, {sizes['warps']} warps; "
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
    def step(self) -> int:
        """Elements from an output's window to its neighbour's."""
        return max(1, self.sides[-1] // self.made[-1]) if self.is_adaptive else self.attrs["stride"][-1]

    def is_uneven(self, axis: int) -> bool:
        """Whether windows of adaptive pooling differ in size, and share an end with the next."""
        return self.is_adaptive and self.sides[axis] % self.made[axis] > 0

    @property
    def _start(self) -> str:
        return '-float("inf")' if self.is_largest else "0.0"

    def begin(self, scope: Scope, shape: str, index: Index) -> None:
        """Nothing has been gone over, from where a window begins."""
        scope.reads(self.read)
        for axis, (size, out) in enumerate(zip(self.sides, self.made, strict=True)):
            place = index[axis - self.num_axes]
            if not place:
                continue
            if not self.is_adaptive:
                first = summed(_of(place, self.attrs["stride"][axis]), -self.attrs["padding"][axis])
            elif self.is_uneven(axis):
                first = f"{_of(place, size)} // {out}"
            else:
                first = _of(place, self.reach[axis])
            scope.line(f"from_{axis} = {first}")
            if self.is_uneven(axis):
                scope.line(f"end_{axis} = (({place} + 1) * {size} + {out} - 1) // {out}")
        scope.line(f"window = tl.full({shape}, {self._start}, dtype=tl.float32)")

    def line(self, axis: int, index: Index, tap: str) -> str:
        """Where a tap of an output lies along an axis."""
        far = scaled(tap, self.attrs.get("dilation", (1,) * self.num_axes)[axis])
        if index[axis - self.num_axes]:
            return f"at_{axis} = {summed(f'from_{axis}', far)}"
        return f"at_{axis} = {summed(far, 0 if self.is_adaptive else -self.attrs['padding'][axis])}"

    def loop(self, scope: Scope, axes: Sequence[int], index: Index) -> None:
        """Over the taps along some axes, one by one."""
        for axis in axes:
            scope.line(f"for tap_{axis} in range({self.reach[axis]}):")
            scope.indent += "    "
            scope.line(self.line(axis, index, f"tap_{axis}"))

    @property
    def tests(self) -> list[str]:
        """Whether a tap lies in the window and in the image."""
        axes = range(self.num_axes)
        if self.is_adaptive:
            return [f"(at_{axis} < end_{axis})" for axis in axes if self.is_uneven(axis)]
        padded = [axis for axis in axes if self.attrs["padding"][axis]]
        return [test for a in padded for test in (f"(at_{a} >= 0)", f"(at_{a} < {self.sides[a]})")]

    def add(self, scope: Scope, index: Index, tests: Sequence[str]) -> None:
        """What lies at the taps."""
        strides = contiguous(self.image)
        outer = offset(index[: -self.num_axes], strides[: -self.num_axes])
        terms = [scaled(f"at_{axis}", step) for axis, step in enumerate(strides[-self.num_axes :])]
        mask = f", mask={' & '.join(tests)}, other={self._start}" if tests else ""
        scope.line(f"seen = tl.load({variable(self.read)}_ptr + {summed(outer, *terms)}{mask})")
        scope.line("window = tl.maximum(window, seen)" if self.is_largest else "window += seen")

    def result(self, index: Index) -> str:
        """Of what was gone over, `window`. How many places a mean is over is known from the ends: to count
        what was seen costs as much again, and the assembler of CUDA 12.8 lost some of 595 that a thread
        counted (it read half of a pair of 16-bit numbers from another register)."""
        if self.is_largest:
            return "window"
        counts = [self._count(axis, index[axis - self.num_axes]) for axis in range(self.num_axes)]
        texts = [str(each) for each in counts if isinstance(each, str)]
        plain = times(*(each for each in counts if not isinstance(each, str)))
        texts += [str(plain)] if plain > 1 or not texts else []
        return f"window / {texts[0] if texts[0].isdigit() else atom(' * '.join(texts))}"

    def _count(self, axis: int, place: Axis | None) -> int | str:
        """Places that a mean is over along an axis."""
        if self.is_uneven(axis):
            return f"(end_{axis} - from_{axis})"
        size, reach = self.sides[axis], self.reach[axis]
        padding = 0 if self.is_adaptive else self.attrs["padding"][axis]
        if not padding or self.attrs["count_include_pad"]:
            return reach
        if not place:
            return min(plus(reach, -padding), size)
        return f"(tl.minimum(from_{axis} + {reach}, {size}) - tl.maximum(from_{axis}, 0))"


def _pooled(scope: Scope, window: Window, value: int, index: Index) -> str:
    window.begin(scope, "(BLOCK,)", index)
    before = scope.indent
    window.loop(scope, range(window.num_axes), index)
    window.add(scope, index, ["mask", *window.tests])
    scope.indent = before
    return scope.named(value, window.result(index))


def _most_seen(size: int, out: int) -> int:
    """By an output of adaptive pooling: where windows are not all alike, two of them share an end."""
    return Number(size // out + 2, f"{size} // {out} + 2") if size % out else quotient(size, out)


def _of(place: Axis, factor: int) -> str:
    return str(place) if factor == 1 else f"{atom(str(place))} * {atom(factor)}"
