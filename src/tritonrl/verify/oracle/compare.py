"""Compare: one tensor that a candidate computed with the one that is right, under a tolerance."""

from dataclasses import dataclass

import torch

from tritonrl.verify.oracle.tolerance import Tolerance

MOST_AMBIGUOUS = 0.3
"""Share of integer results that rounding noise may change before a draw is unfit to check them."""


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

    @property
    def unit(self) -> torch.Tensor:
        """Honest error, element by element, before the tolerance's own roundoff."""
        off = (self.native.double() - self.exact).nan_to_num(0.0, 0.0, 0.0)
        return torch.clamp(self.spread.double(), min=_rms(off))


@dataclass(frozen=True)
class Mismatch:
    """How a tensor is wrong."""

    what: str
    """A sentence with figures."""
    rule: str = "correct"


def compare(value: Value, got: torch.Tensor, tolerance: Tolerance, num_terms: int) -> Mismatch | None:
    """None if `got` is right: the same shape and type, as finite, and within tolerance."""
    if got.shape != value.native.shape or got.dtype != value.native.dtype:
        return Mismatch(f"{value.name} is {_kind(got)}, not {_kind(value.native)}", "B8")
    if not value.native.is_floating_point():
        return _compare_exactly(value, got)
    exact, given = value.exact, got.double()
    finite = torch.isfinite(exact)
    if not torch.equal(torch.isfinite(given), finite) or not _same_special(exact, given, finite):
        counts = (int((~each).sum()) for each in (torch.isfinite(given), finite))
        return Mismatch(
            "{} has {} elements that are not finite, the reference {}".format(value.name, *counts), "B8"
        )
    off = torch.where(finite, (given - exact).abs(), 0.0)
    size = _rms(torch.where(finite, exact, 0.0))
    unit = torch.clamp(tolerance.roundoff * torch.clamp(exact.abs(), min=size), min=_TINY)
    unit = torch.where(finite, torch.maximum(value.unit, unit), 1.0)
    errors = off / unit
    typical, worst = _rms(errors), float(errors.max()) if errors.numel() else 0.0
    allowed = tolerance.typical_at(num_terms)
    if typical <= allowed and worst <= allowed * tolerance.worst:
        return None
    return Mismatch(_figures(value, given, errors, typical, worst, allowed, tolerance))


_TINY = 1e-300


def _compare_exactly(value: Value, got: torch.Tensor) -> Mismatch | None:
    """Integers must be equal wherever rounding cannot change them."""
    wrong = (got != value.native) & (value.spread == 0)
    if not bool(wrong.any()):
        return None
    where = _first(wrong)
    return Mismatch(
        f"{value.name} has {int(wrong.sum())} of {wrong.numel()} elements wrong; "
        f"first at {_index(where)}: {got[where].item()} instead of {value.native[where].item()}"
    )


def _figures(
    value: Value,
    given: torch.Tensor,
    errors: torch.Tensor,
    typical: float,
    worst: float,
    allowed: float,
    t: Tolerance,
) -> str:
    place = tuple(int(i) for i in torch.unravel_index(errors.argmax(), errors.shape))
    wrong = f"{int((errors > allowed).sum())} of {errors.numel()} elements are wrong"
    instead = f"{given[place].item():.7g} instead of {value.exact[place].item():.7g}"
    return (
        f"{value.name} is off by {typical:.3g} units of honest error on average ({allowed:.3g} are allowed), "
        f"{worst:.3g} at most ({allowed * t.worst:.3g} are allowed); {wrong}, "
        f"the worst at {_index(place)}: {instead}"
    )


def _same_special(exact: torch.Tensor, given: torch.Tensor, finite: torch.Tensor) -> bool:
    return (
        torch.equal(exact[~finite].nan_to_num(), given[~finite].nan_to_num())
        if not bool(finite.all())
        else True
    )


def _first(mask: torch.Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in mask.nonzero()[0])


def _index(place: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, place))}]"


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _rms(tensor: torch.Tensor) -> float:
    return float(tensor.square().mean().sqrt()) if tensor.numel() else 0.0
