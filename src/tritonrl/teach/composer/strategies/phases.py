"""Phases: a transposed convolution with a stride, by places of the output that see the same taps.

Of the taps of a filter a place sees every so many. Places a stride apart see the same ones: a product of
their own, over those taps alone.
"""

import math
from collections.abc import Iterator

from tritonrl.program.program import Node, Program
from tritonrl.program.shapes import contiguous
from tritonrl.teach.composer.groups import Group
from tritonrl.teach.composer.indexing import Axis, Index, counted, offset, split
from tritonrl.teach.composer.numbers import plus, times
from tritonrl.teach.composer.products import Factor, Product, Taps, scaled, summed
from tritonrl.teach.composer.strategies.tiles import Tiles
from tritonrl.teach.composer.tile_body import TileBody


class Phases(Tiles):
    """A program computes a tile of one phase."""

    name = "phases"

    def product(self, program: Program, group: Group) -> Product | None:
        node = program.node_of(group.anchor) if group.anchor is not None else None
        if group.anchor is None or node is None or not node.op.startswith("conv_transpose"):
            return None
        if max(node.attrs["stride"]) == 1 or max(node.attrs["dilation"]) > 1 or node.attrs["groups"] > 1:
            return None
        phased = _Phased(program, group.anchor, node)
        return None if phased.has_empty_phases or min(phased.sizes) == 1 else phased.product

    def why(self, body: TileBody) -> str:
        return super().why(body) + "; a batch is a phase, places of the output that see the same taps"


class _Phased:
    """The product of one convolution. `batch` counts phases, `row` their places, and the inner index channels
    and the taps that a phase sees."""

    def __init__(self, program: Program, value: int, node: Node) -> None:
        self.x, self.weight, *self.bias = node.operands
        shapes = (program.values[each].shape for each in (self.x, self.weight, value))
        self.image, self.filters, self.out = shapes
        self.strides, self.paddings = node.attrs["stride"], node.attrs["padding"]
        self.num_axes = len(self.strides)
        self.reaches = tuple(map(_upward, self.filters[2:], self.strides))
        """Taps of a phase."""
        self.sizes = tuple(map(self._size, range(self.num_axes)))
        """Places of a phase."""
        self.number, *self.places = counted("row", (self.out[0], *self.sizes))
        self.rows = times(self.out[0], *self.sizes)
        self.col = Axis("col", self.filters[1], 1, self.filters[1])

    @property
    def has_empty_phases(self) -> bool:
        """Whether places of some see no tap."""
        return any(size < stride for size, stride in zip(self.filters[2:], self.strides, strict=True))

    def _size(self, axis: int) -> int:
        """Said by the image's own: there are a few more."""
        own = self.image[axis + 2]
        more = _upward(self.out[axis + 2] + self.paddings[axis], self.strides[axis]) - own
        return plus(own, more) if more else own

    @property
    def product(self) -> Product:
        index = (self.number, self.col, *(Axis(f"place_{n}", s, 1, s) for n, s in enumerate(self.out[2:])))
        bases = ["row", *(f"place_{axis}" for axis in range(self.num_axes))]
        return Product(
            math.prod(self.strides), self.rows, self.filters[1], times(self.image[1], *self.reaches),
            self._left, self._right, index, self.bias[0] if self.bias else None, (self.col,),
            tuple(self._located()), dict.fromkeys(bases, "inside"), self._by_tap,
        )  # fmt: skip

    @property
    def _by_tap(self) -> Taps:
        channels, columns = self.image[1], self.filters[1]
        parts = counted("at", (*self.strides, *self.reaches, channels, columns))
        phases, reached = parts[: self.num_axes], parts[self.num_axes : -2]
        lines, tests = self._taps("at", reached, tuple(str(each or 0) for each in phases))
        return Taps(
            times(*self.reaches), channels,
            lambda k, tap: self._seen(
                "seen", Axis(k, channels, 1, channels), counted(tap, self.reaches)
            ),
            self._filter("at", parts[-2], parts[-1], lines, tests),
        )  # fmt: skip

    def _located(self) -> Iterator[str]:
        yield "# Its places in the output: those of a phase, a stride apart."
        phases, tests = split("batch", self.strides), [f"(row < {self.rows})"]
        for axis, (place, phase) in enumerate(zip(self.places, phases, strict=True)):
            size, stride, padding = self.out[axis + 2], self.strides[axis], self.paddings[axis]
            yield f"from_{axis} = {place}"
            if phase:
                yield f"phase_{axis} = {phase}"
            far = scaled(f"from_{axis}", stride)
            yield f"place_{axis} = {summed(far, f'phase_{axis}' if phase else 0, -padding)}"
            tests += [f"(place_{axis} >= 0)"] * (padding > 0)
            tests += [f"(place_{axis} < {size})"] * ((size + padding) % stride > 0)
        yield f"inside = {' & '.join(tests)}"

    def _left(self, k: str) -> Factor:
        channel, *reached = counted(k, (self.image[1], *self.reaches))
        return self._seen(k, channel, tuple(reached))

    def _seen(self, k: str, channel: Axis | None, reached: Index) -> Factor:
        """An element of the image."""
        lines, tests = self._taps(k, reached)
        steps, terms = contiguous(self.image), []
        for axis, stride in enumerate(self.strides):
            back = f"{k}_tap_{axis}" + (f" // {stride}" if stride > 1 else "")
            lines.append(f"{k}_{axis} = from_{axis}" + (f" - {back}" if self.reaches[axis] > 1 else ""))
            tests += [f"({k}_{axis} >= 0)", f"({k}_{axis} < {self.image[axis + 2]})"]
            terms.append(scaled(f"{k}_{axis}", steps[axis + 2]))
        place = summed(offset((self.number, channel), steps[:2]), *terms)
        return Factor(self.x, place, (), " & ".join(tests), tuple(lines))

    def _right(self, k: str) -> Factor:
        channel, *reached = counted(k, (self.image[1], *self.reaches))
        return self._filter(k, channel, self.col, *self._taps(k, tuple(reached)))

    def _filter(
        self, k: str, channel: Axis | None, col: Axis | None, lines: list[str], tests: list[str]
    ) -> Factor:
        """An element of a filter."""
        steps = contiguous(self.filters)
        terms = [scaled(f"{k}_tap_{axis}", steps[axis + 2]) for axis in range(self.num_axes)]
        place = summed(offset((channel, col), steps[:2]), *terms)
        return Factor(self.weight, place, (), " & ".join(tests), tuple(lines))

    def _taps(
        self, k: str, reached: Index, phases: tuple[str, ...] = ("phase_0", "phase_1", "phase_2")
    ) -> tuple[list[str], list[str]]:
        """The lines that say which taps, and the tests that there are such."""
        lines, tests = [], []
        for axis, (reach, stride) in enumerate(zip(reached, self.strides, strict=True)):
            far = scaled(str(reach), stride) if reach else 0
            lines.append(f"{k}_tap_{axis} = {summed(far, phases[axis] if stride > 1 else 0)}")
            if self.filters[axis + 2] % stride:
                tests.append(f"({k}_tap_{axis} < {self.filters[axis + 2]})")
        return lines, tests


def _upward(number: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-number // divisor)
