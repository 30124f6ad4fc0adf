"""Losses. PyTorch reduces them to one number by default; the synthesiser draws them without, since a program
is to have results that do not agree by chance."""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import Attr, Op, Slot, same_dtype
from tritonrl.program.ops.arithmetic import X, Y, broadcast
from tritonrl.program.shapes import Algebra, Dim, Shape, ShapeError

REDUCTIONS = ("none", "mean", "sum")
"""As ATen numbers them."""
REDUCTION = Attr("reduction", ("none",), "mean")

CLASSES = 1
"""The dim of the classes."""
LEAST_TO_FOLD = 4
"""Fewest classes or features that the synthesiser gives a loss that sums over them."""
MOST_SOFT_CLASSES = 64
"""Over more classes that are all a little right the loss hardly varies: in bfloat16 by less than eight
steps."""

SAME = Slot("y", same_rank=True)
PROBABILITY = Slot("y", same_rank=True, needs="unit")
LABEL = Slot("y", ranks=(1, 2, 3, 4), parameter=True, indexes=CLASSES)
SCORES = Slot("x", ranks=(2, 3, 4, 5), prefer=(2,))
SOFT_SCORES = Slot("x", ranks=(2, 3, 4, 5), prefer=(2, 3))


def _without(x: Shape, axis: int | None) -> list[Dim]:
    return [size for place, size in enumerate(x) if axis is None or place != axis % len(x)]


def _rule(axis: int | None, slots: tuple[Slot, ...]) -> Any:
    """All operands have one shape; labels have it without the dim that the loss sums over."""

    def rule(s: Algebra, attrs: Mapping[str, Any], x: Shape, *others: Shape) -> list[Dim]:
        kept = _without(x, axis)
        for other in others:
            expected = kept if LABEL in slots else x
            if len(other) != len(expected):
                raise ShapeError(f"a loss of ranks {len(x)} and {len(other)}")
            for a, b in zip(expected, other, strict=True):
                s.same(a, b)
        if axis is not None:
            s.prefer(x[axis], LEAST_TO_FOLD, MOST_SOFT_CLASSES if PROBABILITY in slots else None)
        return kept if attrs["reduction"] == "none" else []

    return rule


def _terms(axis: int | None) -> Any:
    def terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, *_: Shape) -> list[Dim]:
        return list(x) if attrs["reduction"] != "none" else [] if axis is None else [x[axis]]

    return terms


def _by_name(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any]:
    return {**bound, "reduction": REDUCTIONS[bound["reduction"]]}


def _class_indices(dtypes: Sequence[str], attrs: Mapping[str, Any]) -> str:
    if dtypes[1] != "int64":
        raise ShapeError(f"labels are int64, not {dtypes[1]}")
    return dtypes[0]


def _loss(
    name: str,
    aten: str,
    flops: int,
    *attrs: Attr,
    slots: tuple[Slot, ...] = (X, SAME),
    axis: int | None = None,
    call: str | None = None,
    with_terms: str | None = None,
) -> Op:
    return Op(
        name, "loss", slots, _rule(axis, slots), call or f"F.{name}", (Match(aten, convert=_by_name),),
        (*attrs, REDUCTION), dtype=_class_indices if LABEL in slots else same_dtype, terms=_terms(axis),
        flops_per_output=0, flops_per_term=flops, with_terms=with_terms,
    )  # fmt: skip


SMOOTHING = Attr("label_smoothing", (0.0, 0.0, 0.3), 0.0)
EPS = Attr("eps", (0.05, 0.1), 1e-6)
"""These two are drawn larger than is usual: of less, no exam could tell whether it was left out."""
CROSS_ENTROPY = "aten.cross_entropy_loss.default(x, y, None, reduction, -100, label_smoothing)"

OPS = (
    _loss("mse_loss", "aten.mse_loss.default(x, y, reduction)", 2),
    _loss("l1_loss", "aten.l1_loss.default(x, y, reduction)", 2),
    _loss(
        "smooth_l1_loss", "aten.smooth_l1_loss.default(x, y, reduction, beta)", 5,
        Attr("beta", (1.0, 0.5, 2.0), 1.0),
    ),
    _loss(
        "huber_loss", "aten.huber_loss.default(x, y, reduction, delta)", 5,
        Attr("delta", (1.0, 0.5, 2.0), 1.0),
    ),
    _loss(
        "kl_div", "aten.kl_div.default(x, y, reduction, log_target)", 7,
        Attr("log_target", (False,), False), slots=(X, PROBABILITY),
    ),
    _loss(
        "binary_cross_entropy_with_logits",
        "aten.binary_cross_entropy_with_logits.default(x, y, None, None, reduction)", 10,
        slots=(X, PROBABILITY),
    ),
    _loss(
        "cross_entropy", CROSS_ENTROPY, 6, SMOOTHING, slots=(SCORES, LABEL), axis=CLASSES,
        with_terms="surprise",
    ),
    _loss(
        "soft_cross_entropy", CROSS_ENTROPY, 8, SMOOTHING, slots=(SOFT_SCORES, PROBABILITY), axis=CLASSES,
        call="F.cross_entropy", with_terms="sum",
    ),
    _loss(
        "triplet_margin_loss",
        "aten.triplet_margin_loss.default(x, y, z, margin, p, eps, False, reduction)", 8,
        Attr("margin", (1.0, 0.5, 2.0), 1.0), Attr("p", (2.0,), 2.0), EPS,
        slots=(Slot("x", ranks=(1, 2, 3, 4), prefer=(2, 3)), SAME, Slot("z", same_rank=True)), axis=-1,
        with_terms="margin",
    ),
    Op(
        "hinge_loss", "loss", (X, Y), broadcast, "torch.clamp({margin} - {x} * {y}, min=0)",
        ("aten.clamp.default(aten.rsub.Scalar(aten.mul.Tensor(x, y), margin), 0)",),
        (Attr("margin", (1.0, 0.5, 2.0)),), flops_per_output=3,
    ),
)  # fmt: skip
