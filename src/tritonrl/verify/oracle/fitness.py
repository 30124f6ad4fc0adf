"""Whether a question is fit to be asked: its answer finite, well conditioned, and no cliff beside it."""

import torch

from tritonrl.verify.oracle.compare import MOST_AMBIGUOUS, Value, compare
from tritonrl.verify.oracle.tolerance import FAR, Tolerance
from tritonrl.verify.pieces import are_finite, in_pieces, rms

MOST_FOR_MEDIAN = 2**16
"""Elements among which it is looked for; of more, so many at regular distances. A GPU looks with one of its
processors."""
WORST_CONDITION = 0.01
"""Spread under noise over the size of the result, beyond which a draw tells nothing about float32."""
MOST_UNSMOOTH = 1.5
"""By which noise that reaches far may do more than its share to an element, typically, or less to the whole.
A smooth function stays within it, but for chance where all elements share one error."""


def is_fit(
    value: Value, tolerance: Tolerance, num_terms: int, own: bool, *, everywhere: bool = False
) -> bool:
    """Whether a result can be checked: finite, typically (or `everywhere`) not all rounding error, and
    PyTorch's own is right."""
    if not value.native.is_floating_point():
        return own or value.native.numel() == 0 or float((value.spread > 0).double().mean()) <= MOST_AMBIGUOUS
    if own and value.is_finite:
        return value.native_is_finite
    if own or value.exact.numel() == 0:
        pairs = in_pieces(value.exact, value.native)
        return all(torch.equal(torch.isfinite(exact), torch.isfinite(native)) for exact, native in pairs)
    if not (value.is_finite and value.native_is_finite and _has_units(value, tolerance)):
        return False
    step = 1 + value.spread.numel() // MOST_FOR_MEDIAN
    typical = value.spread.max() if everywhere else value.spread.reshape(-1)[::step].median()
    errors = value.own_error, value.largest_own_error
    figures = [value.size, typical, *errors, *_under_far_noise(value, tolerance)]
    size, typical, error, largest, *smooth = torch.stack([each.double() for each in figures]).tolist()
    well_conditioned = typical <= max(WORST_CONDITION, 8 * tolerance.roundoff) * max(size, 1e-30)
    if not well_conditioned or (smooth and not _is_smooth(*smooth)):
        return False
    # Seldom is one element so far off that all must be looked at: the square of a deviation overflows.
    allowed = tolerance.worst * tolerance.typical_at(num_terms) * max(error, tolerance.roundoff * size)
    return largest <= allowed or compare(value, value.native, tolerance, num_terms) is None


def _has_units(value: Value, tolerance: Tolerance) -> bool:
    """Errors are counted in float32, which is too small for some of what float64 can hold."""
    return value.native.dtype != torch.float64 or all(are_finite(value.scale(tolerance.roundoff)))


def _under_far_noise(value: Value, tolerance: Tolerance) -> list[torch.Tensor]:
    """What noise of many roundoffs does anywhere, as a share of what it may, and what it and that of one do
    to the whole; nothing where there was none."""
    if value.far is None:
        return []
    pairs = in_pieces(value.far, value.scale(tolerance.roundoff))
    anywhere = rms(far / (FAR * scale) for far, scale in pairs)
    return [anywhere, *(rms(each for (each,) in in_pieces(given)) for given in (value.far, value.spread))]


def _is_smooth(anywhere: float, far: float, near: float) -> bool:
    """Whether noise of many roundoffs does to a result as many times what that of one does. If not there is a
    cliff nearby (two scores of a softmax that are huge and nearly the same): what a few runs under noise do
    not show may still be an honest error."""
    return anywhere <= MOST_UNSMOOTH and far >= near * FAR / MOST_UNSMOOTH
