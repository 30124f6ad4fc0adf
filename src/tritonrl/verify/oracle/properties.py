"""What all draws of an input have in common: positive, between 0 and 1, rows that sum to 1, triangular, the
same every time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

AWAY_FROM_ZERO = 0.05
"""Lowest over highest of a tensor that is meant to stay away from zero: a denominator, a variance."""
MOST_LOOKED_AT = 2**16
"""Elements of a draw, to see how they are spread."""
MOST_COUNTED = 2.0**53
"""Beyond this every floating-point number is whole."""


@dataclass(frozen=True)
class Properties:
    """What every draw of an input shows."""

    fixed: bool
    """The same in every draw, or not made of floating-point numbers: left alone."""
    constant: bool = False
    """The same in every draw, but of numbers that could be others: a norm's ones, a table."""
    free: bool = False
    """Made of whole numbers or booleans, each of which may be anything from the lowest to the highest."""
    in_order: bool = False
    """Made of whole numbers none of which is less than the one before it in its row."""
    lowest: float = 0.0
    highest: float = 0.0
    rows_sum_to_one: bool = False
    whole: bool = False
    triangle: str | None = None
    """`lower`, `upper` or `diagonal`: zero elsewhere."""
    symmetric: bool = False
    uniform: bool = False
    """As `torch.rand` draws: a range that nobody has chosen."""

    @property
    def ranged(self) -> bool:
        """Made of integers or booleans that are free."""
        return self.free and self.fixed

    @property
    def signed(self) -> bool:
        return self.lowest < 0

    @property
    def away_from_zero(self) -> bool:
        return self.lowest > AWAY_FROM_ZERO * self.highest > 0

    @property
    def may_be_zero(self) -> bool:
        """Whether a variation may put exact zeros into it."""
        return not (self.fixed or self.whole or self.away_from_zero)

    @property
    def unit_interval(self) -> bool:
        return self.lowest >= 0 and self.highest <= 1


def observe(draws: Sequence[torch.Tensor]) -> Properties:
    """The properties that all of these tensors share."""
    first = draws[0]
    alike = all(first.shape == other.shape and torch.equal(first, other) for other in draws[1:])
    if alike or first.numel() == 0:
        return Properties(fixed=True, constant=_may_be_others(first))
    if not first.is_floating_point():
        return _observe_integers(draws)
    ends = torch.stack([torch.stack(torch.aminmax(draw)) for draw in draws]).tolist()
    lowest, highest = min(low for low, _ in ends), max(high for _, high in ends)
    rows_sum_to_one = lowest >= 0 and all(_rows_sum_to_one(draw) for draw in draws)
    whole = all(bool((draw == draw.round()).all()) for draw in draws)
    symmetric = all(_is_symmetric(draw) for draw in draws)
    triangle = next(
        (name for name, cut in TRIANGLES.items() if all(_is_cut(draw, cut) for draw in draws)), None
    )
    are_counted = whole and not (symmetric or triangle) and max(-lowest, highest) < MOST_COUNTED
    as_integers = _observe_integers(draws) if are_counted else Properties(fixed=True)
    return Properties(
        fixed=False,
        lowest=lowest,
        highest=highest,
        rows_sum_to_one=rows_sum_to_one,
        uniform=0 <= lowest < 0.05 < 0.95 < highest <= 1 and not rows_sum_to_one and _is_even(draws),
        whole=whole,
        free=as_integers.free,
        in_order=as_integers.in_order,
        symmetric=symmetric,
        triangle=triangle,
    )


def _may_be_others(own: torch.Tensor) -> bool:
    """Whether a tensor that is always the same stands for its values: not a single number, which the host may
    look at, and no mask or pattern."""
    if not own.is_floating_point() or own.numel() < 2:
        return False
    if one_value(own) is not None:
        return True
    patterned = (
        _is_symmetric(own) or _rows_sum_to_one(own) or any(_is_cut(own, c) for c in TRIANGLES.values())
    )
    return bool(torch.isfinite(own).all()) and not patterned and not torch.equal(own, own.round())


def one_value(own: torch.Tensor) -> float | None:
    """Of a tensor of floating-point numbers that has no other."""
    if not own.is_floating_point() or own.numel() == 0:
        return None
    lowest, highest = own.aminmax()
    return float(lowest) if lowest == highest else None


def _is_even(draws: Sequence[torch.Tensor]) -> bool:
    """Whether numbers between 0 and 1 lie as `torch.rand` has them: their mean and their spread."""
    flat = torch.cat([draw.reshape(-1)[:MOST_LOOKED_AT].double() for draw in draws])
    return bool((flat.mean() - 1 / 2).abs() < 0.05 and (flat.std() - 12**-0.5).abs() < 0.03)


def _observe_integers(draws: Sequence[torch.Tensor]) -> Properties:
    """Offsets are in order, a permutation has no element twice, a one-hot row has one: those keep to that."""
    if draws[0].dim() == 0:
        return Properties(fixed=True)
    rows = [draw.long().reshape(-1, draw.shape[-1]) for draw in draws]
    in_order = all(bool((each.diff() >= 0).all()) for each in rows)
    distinct = all(bool((each.sort().values.diff() > 0).all()) for each in rows)
    sums = torch.cat([each.sum(-1) for each in rows])
    ends = [int(end) for each in rows for end in torch.aminmax(each)]
    free = not (in_order or distinct or bool((sums == sums[0]).all()))
    return Properties(
        fixed=True, free=free, in_order=in_order, whole=True, lowest=min(ends), highest=max(ends)
    )


TRIANGLES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "diagonal": lambda x: torch.tril(torch.triu(x)),  # first: it is both others too
    "lower": torch.tril,
    "upper": torch.triu,
}


def _is_cut(x: torch.Tensor, cut: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    if x.dim() < 2 or min(x.shape[-2:]) < 2:
        return False
    first = x[(0,) * (x.dim() - 2)]  # most are not, and one matrix shows it
    return torch.equal(first, cut(first)) and torch.equal(x, cut(x))


def _is_symmetric(x: torch.Tensor) -> bool:
    return x.dim() >= 2 and x.shape[-1] == x.shape[-2] > 1 and torch.equal(x, x.mT)


def _rows_sum_to_one(x: torch.Tensor) -> bool:
    if x.dim() == 0 or x.shape[-1] < 2:
        return False
    return bool(((x.sum(-1, dtype=torch.float64) - 1).abs() < 1e-3).all())
