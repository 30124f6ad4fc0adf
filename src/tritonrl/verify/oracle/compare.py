"""Compare: one tensor that a candidate computed with the one that is right, under a tolerance."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from tritonrl.verify.oracle.tolerance import Tolerance
from tritonrl.verify.pieces import PIECE, are_finite, in_pieces, rms
from tritonrl.verify.structure import some_of

MOST_AMBIGUOUS = 0.3
"""Share of integer results that rounding noise may change before a draw is unfit to check them."""
MOST_COUNTED = 2
"""By which noise moves a number that is rounded or counted."""


@dataclass(frozen=True)
class Value:
    """One tensor that a call must produce: returned, or left behind in an input or buffer."""

    name: str
    native: torch.Tensor
    """PyTorch's own result, in the task's type."""
    exact: torch.Tensor
    """In float64 (integers as they are)."""
    spread: torch.Tensor
    """Under rounding noise; see `verify.inside.rounding`."""
    far: torch.Tensor | None = None
    """Under noise of `FAR` roundoffs, where that was asked for."""

    @cached_property
    def _own_errors(self) -> tuple[torch.Tensor, torch.Tensor]:
        largest: list[torch.Tensor] = []

        def errors() -> Iterator[torch.Tensor]:
            for native, exact in in_pieces(self.native, self.exact):
                errors = _off(native, exact).nan_to_num_(0.0, 0.0, 0.0)
                largest.append(_largest(errors))
                yield errors

        return rms(errors()).float(), torch.stack(largest).max()

    @property
    def own_error(self) -> torch.Tensor:
        """Of PyTorch's own result, typically."""
        return self._own_errors[0]

    @property
    def largest_own_error(self) -> torch.Tensor:
        return self._own_errors[1]

    @cached_property
    def _finite(self) -> tuple[bool, bool]:
        exact, native = are_finite(self.exact, self.native)
        return exact, native

    @property
    def is_finite(self) -> bool:
        """Whether what is right is."""
        return self._finite[0]

    @property
    def native_is_finite(self) -> bool:
        return self._finite[1]

    @cached_property
    def size(self) -> torch.Tensor:
        """Of an element that is finite, typically."""
        exact = self.exact
        if not self.is_finite:
            exact = torch.where(torch.isfinite(exact), exact, 0.0)
        return rms(piece for (piece,) in in_pieces(exact))

    @cached_property
    def _scales(self) -> dict[float, torch.Tensor]:
        return {}

    def scale(self, roundoff: float) -> torch.Tensor:
        """Honest error, at least one roundoff of the element and of the tensor's size; 1 where the result is
        not finite."""
        if roundoff not in self._scales:
            self._scales[roundoff] = self._scale(roundoff, least_size=0.0)
        return self._scales[roundoff]

    def _scale(self, roundoff: float, least_size: float) -> torch.Tensor:
        size = self.size.clamp(min=least_size)
        least = torch.maximum(roundoff * size, self.own_error).clamp(min=_TINY).float()
        made = torch.empty(self.exact.shape, dtype=torch.float32, device=self.exact.device)
        for into, own, spread in in_pieces(made, self.exact, self.spread):
            torch.mul(own, roundoff, out=into).abs_()
            torch.maximum(torch.maximum(into, spread, out=into), least, out=into)
        return made if self.is_finite else made.where(torch.isfinite(self.exact), 1.0)

    def for_comparing(self, roundoff: float, usual_size: float = 0.0) -> "Value":
        """The same, without what a comparison at this roundoff does not need: an exam keeps many. Where
        results are smaller than usual, errors of those of the usual size are honest."""
        if not self.native.is_floating_point():
            return self
        made = Value(self.name, self.native.to("meta"), self.exact, self.spread.to("meta"))
        made._scales[roundoff] = self._scale(roundoff, usual_size)
        return self._known_of(made)

    def some(self, most: int) -> "Value":
        """About so many of its elements, where it has more."""
        tensors = (some_of(each, most) for each in (self.native, self.exact, self.spread))
        made = Value(self.name, *tensors)
        made._scales.update({roundoff: some_of(each, most) for roundoff, each in self._scales.items()})
        return self._known_of(made)

    def _known_of(self, made: "Value") -> "Value":
        """What is finite is so in each of its elements."""
        made.__dict__["_finite"] = self._finite
        return made

    @property
    def size_bytes(self) -> int:
        tensors = (self.native, self.exact, self.spread, *self._scales.values())
        return sum(each.nbytes for each in tensors if each.device.type != "meta")


@dataclass(frozen=True)
class Mismatch:
    """How a tensor is wrong."""

    words: str | Callable[[], str]
    """A sentence with figures, or what makes it: many only want to know that there is one."""
    rule: str = "correct"

    @property
    def what(self) -> str:
        return self.words if isinstance(self.words, str) else self.words()


@dataclass(frozen=True)
class Check:
    """A question whose answer is still being computed, on a GPU perhaps: its numbers, and what they mean."""

    numbers: torch.Tensor
    tell: Callable[[list[float]], Mismatch | None]


def wrong_in_each(lists: Sequence[Sequence[Check]]) -> list[Mismatch | None]:
    """What is wrong first in each list. All numbers are waited for once: on a GPU that is shared each wait is
    a turn of everybody else."""
    flat = [check.numbers.double().reshape(-1) for checks in lists for check in checks]
    numbers = iter(torch.cat([each for each in flat if each.numel()] or [torch.empty(0)]).tolist())
    told = (
        [check.tell(list(itertools.islice(numbers, check.numbers.numel()))) for check in checks]
        for checks in lists
    )
    return [next(filter(None, each), None) for each in told]


def first_wrong_among(lists: Sequence[Sequence[Check]]) -> tuple[int, Mismatch] | None:
    """The number of the first list with something wrong, and what that is."""
    found = enumerate(wrong_in_each(lists))
    return next(((place, wrong) for place, wrong in found if wrong), None)


def first_wrong(checks: Sequence[Check]) -> Mismatch | None:
    """The first of these that is wrong."""
    found = first_wrong_among([checks])
    return found[1] if found else None


def compare(value: Value, got: torch.Tensor, tolerance: Tolerance, num_terms: int) -> Mismatch | None:
    """None if `got` is right: the same shape and type, as finite, and within tolerance."""
    return first_wrong([comparison(value, got, tolerance, num_terms)])


def comparison(value: Value, got: torch.Tensor, tolerance: Tolerance, num_terms: int) -> Check:
    """Whether `got` is right."""
    if got.shape != value.native.shape or got.dtype != value.native.dtype:
        wrong = Mismatch(f"{value.name} is {_kind(got)}, not {_kind(value.native)}", "B8")
        return Check(got.new_empty(0), lambda _: wrong)
    if not value.native.is_floating_point():
        unequal = _unequal(value, got, tolerance.worst)
        return Check(
            unequal.sum(),
            lambda count: Mismatch(lambda: _not_equal(value, got, unequal)) if count[0] else None,
        )
    scale = value.scale(tolerance.roundoff)
    pieces = in_pieces(value.exact, got, scale)
    numbers = [_piece(exact, given, units, value.is_finite) for exact, given, units in pieces]
    allowed = tolerance.typical_at(num_terms)

    def tell(numbers: list[float]) -> Mismatch | None:
        typical = math.hypot(*numbers[0::3]) / math.sqrt(max(1, got.numel()))
        worst, num_unlike = max(numbers[1::3], default=0.0), sum(numbers[2::3])
        if num_unlike or not math.isfinite(typical):
            mine, theirs = (int((~torch.isfinite(each)).sum()) for each in (got, value.exact))
            if num_unlike or mine != theirs:
                words = f"has {mine} elements that are not finite, the reference {theirs}"
                return Mismatch(f"{value.name} {words}", "B8")
        if typical <= allowed and worst <= allowed * tolerance.worst:
            return None
        return Mismatch(lambda: _figures(value, got, tolerance, typical, worst, allowed))

    return Check(torch.stack(numbers) if numbers else got.new_empty(0), tell)


def _piece(exact: torch.Tensor, got: torch.Tensor, scale: torch.Tensor, is_finite: bool) -> torch.Tensor:
    """The norm of the errors of a piece, the largest, and how many elements are finite on one side only.

    Differences are taken in float64. What follows needs no more than float32, and a large part of what a GPU
    does for a verdict is this."""
    errors = _off(got, exact)
    unlike = exact.new_zeros(())
    if not is_finite:  # else what is not finite in `got` is not finite in the errors either
        finite = torch.isfinite(exact)
        same = (got == exact) | (got.isnan() & exact.isnan())
        unlike = ((torch.isfinite(got) != finite) | (~finite & ~same)).sum().double()
        errors = torch.where(finite, errors, 0.0)
    errors.div_(scale)
    norm = torch.linalg.vector_norm(errors, dtype=torch.float64)
    return torch.stack([norm, _largest(errors), unlike])


_TINY = 1e-37


def _largest(errors: torch.Tensor) -> torch.Tensor:
    """Without sign, in float64; zero of none."""
    order = math.inf if errors.numel() else 2
    return torch.linalg.vector_norm(errors, ord=order, dtype=torch.float64)


def _off(got: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """The difference of the two, which is taken in float64."""
    return torch.sub(got, exact, out=torch.empty_like(got, dtype=torch.float32))


def _unequal(value: Value, got: torch.Tensor, worst: float) -> torch.Tensor:
    """Where an integer is neither what it must be nor what rounding may make of it. One that moves by little
    was rounded or counted, and may be off by as much. One that moves further is a large number that was
    rounded, and may be off by so many times that as one element of floating-point numbers, or says a place,
    which is then nearly any: one of several that lie far apart."""
    right = value.native
    if got.dtype == torch.bool:  # what is true is the byte 1, whatever else passes for it
        got, right = got.view(torch.uint8), right.view(torch.uint8)
    off = (got.double() - right.double()).abs()
    allowed = torch.where(value.spread > MOST_COUNTED, worst * value.spread, value.spread)
    return (got != right) & ((value.spread == 0) | (off > allowed))


def _not_equal(value: Value, got: torch.Tensor, wrong: torch.Tensor) -> str:
    """Integers must be equal wherever rounding cannot change them."""
    where = _first(wrong)
    if got.dtype == torch.bool:
        got = got.view(torch.uint8)
    return (
        f"{value.name} has {int(wrong.sum())} of {wrong.numel()} elements wrong; "
        f"first at {_index(where)}: {got[where].item()} instead of {value.native[where].item()}"
    )


def _figures(
    value: Value, got: torch.Tensor, t: Tolerance, typical: float, worst: float, allowed: float
) -> str:
    num_wrong, number, largest = 0, 0, -1.0
    for count, (exact, given, scale) in enumerate(in_pieces(value.exact, got, value.scale(t.roundoff))):
        errors = torch.where(torch.isfinite(exact), (given.double() - exact).abs(), 0.0) / scale
        num_wrong += int((errors > allowed).sum())
        if float(errors.max()) > largest:
            number, largest = count * PIECE + int(errors.argmax()), float(errors.max())
    place = _place(number, got.shape)
    wrong = f"{num_wrong} of {got.numel()} elements are wrong"
    instead = f"{got[place].item():.7g} instead of {value.exact[place].item():.7g}"
    return (
        f"{value.name} is off by {typical:.3g} units of honest error on average ({allowed:.3g} are allowed), "
        f"{worst:.3g} at most ({allowed * t.worst:.3g} are allowed); {wrong}, "
        f"the worst at {_index(place)}: {instead}"
    )


def _place(number: int, shape: torch.Size) -> tuple[int, ...]:
    """The index of an element by its number; PyTorch's own way imports a second's worth of libraries."""
    place: list[int] = []
    for size in reversed(shape):
        number, rest = divmod(number, size)
        place.insert(0, rest)
    return tuple(place)


def _first(mask: torch.Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in mask.nonzero()[0])


def _index(place: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, place))}]"


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
