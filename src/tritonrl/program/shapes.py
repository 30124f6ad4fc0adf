"""The algebra of shapes: a rule is written once, as constraints, and read in more than one way.

A shape rule receives an `Algebra` and the shapes of its operands, and returns the shape of its output.
`Numbers`, here, reads dimensions as plain integers: the rule checks a given shape. `synth.solve` reads
them as unknowns: the same rule constrains shapes that are still to be found.

Rules touch dimensions only through the algebra; the one literal they may write is a fixed size.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

from tritonrl.errors import UserError

Dim = Any
"""An integer under `Numbers`, an unknown under the solver."""

Shape = Sequence[Dim]


class ShapeError(UserError):
    """The operands do not fit the operator."""


class Algebra(Protocol):
    """What a shape rule may say about dimensions."""

    def same(self, a: Dim, b: Dim) -> Dim:
        """a and b are equal; returns either."""
        ...

    def broadcast(self, a: Dim, b: Dim) -> Dim:
        """a and b are equal or one of them is 1; returns the larger."""
        ...

    def divided(self, a: Dim, by: int) -> Dim:
        """a is a multiple of `by`; returns the quotient."""
        ...

    def product(self, dims: Shape) -> Dim: ...

    def total(self, dims: Shape) -> Dim: ...

    def window(self, size: Dim, kernel: Dim, stride: int, padding: int, dilation: int) -> Dim:
        """Positions of a sliding window; there is at least one, and padding is at most half the kernel."""
        ...

    def unwindow(self, size: Dim, kernel: Dim, stride: int, padding: int, dilation: int, extra: int) -> Dim:
        """The size that a transposed window spreads to."""
        ...

    def strided(self, size: Dim, start: int, stop: int | None, step: int) -> Dim:
        """Length of `range(size)[start:stop:step]`, which is not empty."""
        ...

    def at_least(self, a: Dim, low: int) -> None:
        """a ≥ low, or the operator is not defined."""
        ...

    def prefer(self, a: Dim, low: int, high: int | None = None) -> None:
        """Taste of the synthesiser: low ≤ a ≤ high. A given shape is never refused for it."""
        ...

    def prefer_multiple(self, a: Dim, of: int) -> None:
        """Taste as well: a is a multiple of `of`."""
        ...


class Numbers:
    """Dimensions are integers; what does not hold is a `ShapeError`."""

    def same(self, a: int, b: int) -> int:
        _require(a == b, f"sizes {a} and {b} differ")
        return a

    def broadcast(self, a: int, b: int) -> int:
        _require(a == b or 1 in (a, b), f"sizes {a} and {b} do not broadcast")
        return b if a == 1 else a

    def divided(self, a: int, by: int) -> int:
        _require(a % by == 0, f"size {a} is not a multiple of {by}")
        return a // by

    def product(self, dims: Sequence[int]) -> int:
        return math.prod(dims)

    def total(self, dims: Sequence[int]) -> int:
        return sum(dims)

    def window(self, size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
        span = size + 2 * padding - dilation * (kernel - 1) - 1
        _require(span >= 0, f"a window of {kernel} (dilation {dilation}) does not fit {size} + 2·{padding}")
        return span // stride + 1

    def unwindow(self, size: int, kernel: int, stride: int, padding: int, dilation: int, extra: int) -> int:
        spread = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1
        _require(spread >= 1, f"the transposed window leaves size {spread}")
        return spread

    def strided(self, size: int, start: int, stop: int | None, step: int) -> int:
        return len(range(size)[start:stop:step])

    def at_least(self, a: int, low: int) -> None:
        _require(a >= low, f"size {a} is below {low}")

    def prefer(self, a: int, low: int, high: int | None = None) -> None:
        pass

    def prefer_multiple(self, a: int, of: int) -> None:
        pass


NUMBERS = Numbers()


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ShapeError(message)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a contiguous tensor."""
    return tuple(math.prod(shape[place + 1 :]) for place in range(len(shape)))
