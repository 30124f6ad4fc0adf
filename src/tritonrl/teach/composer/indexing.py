"""Indices: where an element of a value lies, as text of a kernel.

A kernel counts along a few bases (`at`, or `row` and `col`); an index has an axis for each dim of a value,
and an axis is a part of a base: `at // 64 % 32`. Neighbouring axes that count on are one, so that a whole
contiguous tensor is read at `at` and a bias at `at % 64`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tritonrl.program.shapes import contiguous
from tritonrl.teach.composer.numbers import atom, extent, negative, plus, times


@dataclass(frozen=True)
class Axis:
    """`base // step % size`, times `scale` plus `shift`."""

    base: str
    size: int
    step: int = 1
    whole: int = 0
    """How far the base counts; 0 where that is not known."""
    scale: int = 1
    shift: int = 0

    def __str__(self) -> str:
        text = self.base
        if self.step > 1:
            text += f" // {atom(self.step)}"
        if self.whole == 0 or self.step * self.size < self.whole:
            text += f" % {atom(self.size)}"
        if self.scale < 0:
            far = atom(text) if self.scale == -1 else f"{atom(text)} * {atom(negative(self.scale))}"
            return f"{self.shift} - {far}"
        if self.scale != 1:
            text = f"{atom(text)} * {atom(self.scale)}"
        if not self.shift:
            return text
        return f"{text} + {self.shift}" if self.shift > 0 else f"{text} - {atom(negative(self.shift))}"

    @property
    def is_plain(self) -> bool:
        return self.scale == 1 and self.shift == 0

    def moved(self, scale: int, shift: int, size: int) -> "Axis":
        """The same positions on a longer or shorter dim."""
        shift = plus(times(self.shift, scale), shift)
        return replace(self, scale=times(self.scale, scale), shift=shift, size=size)


Index = tuple[Axis | None, ...]
"""An axis for each dim; None where there is one element, at 0."""


def split(base: str, shape: tuple[int, ...], axes: Sequence[int] | None = None) -> Index:
    """The index along some dims of a contiguous tensor, or along all, whose elements `base` counts."""
    chosen, steps = range(len(shape)), contiguous(shape)
    if axes is not None:
        chosen, steps = axes, [extent(shape, axes[place + 1 :]) for place in range(len(axes))]
    whole = math.prod(shape[axis] for axis in chosen)
    return tuple(
        Axis(base, shape[axis], step, whole) if shape[axis] > 1 else None
        for axis, step in zip(chosen, steps, strict=True)
    )


def counted(base: str, sizes: tuple[int, ...]) -> Index:
    """The index along dims that are no value's, all of which `base` counts."""
    whole, steps = times(*sizes), [times(*sizes[place + 1 :]) for place in range(len(sizes))]
    return tuple(
        Axis(base, size, step, whole) if size > 1 else None for size, step in zip(sizes, steps, strict=True)
    )


def constant(number: int) -> Axis:
    """Always the same place."""
    return Axis(str(number), 1, 1, 1)


def aligned(index: Index, shape: tuple[int, ...]) -> Index:
    """The index into an operand that is broadcast to where `index` points."""
    own = index[len(index) - len(shape) :]
    return tuple(axis if size > 1 else None for axis, size in zip(own, shape, strict=True))


def offset(index: Index, strides: tuple[int, ...]) -> str:
    """Where the element is in memory, as an expression; `0` for the only one."""
    terms: list[tuple[Axis, int]] = []
    for axis, stride in zip(index, strides, strict=True):
        if axis is None or stride == 0:
            continue
        if terms and (joined := _joined(*terms[-1], axis, stride)):
            terms[-1] = joined
        else:
            terms.append((axis, stride))
    return " + ".join(_term(axis, stride) for axis, stride in terms) or "0"


def bases(index: Index) -> set[str]:
    return {axis.base for axis in index if axis is not None}


def _joined(left: Axis, far: int, right: Axis, near: int) -> tuple[Axis, int] | None:
    """Two axes as one, where the right one counts on into the left."""
    counts_on = left.base == right.base and left.step == right.step * right.size and far == near * right.size
    if not (counts_on and left.is_plain and right.is_plain):
        return None
    # Where the right one is the last dim of what is read, both make one of its strides, or its size.
    size = int(left.size * right.size) if near == 1 else times(left.size, right.size)
    return Axis(left.base, size, right.step, left.whole), near


def _term(axis: Axis, stride: int) -> str:
    text = str(axis)
    return text if stride == 1 else f"{atom(text)} * {atom(stride)}"
