"""Scaled-dot-product attention: softmax(q·kᵀ·scale + mask)·v, one operator as PyTorch has it."""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.op import Attr, Op, Slot, same_dtype
from tritonrl.program.ops.arithmetic import broadcast
from tritonrl.program.shapes import Algebra, Dim, Shape, ShapeError

LEAST_HEAD, MOST_HEAD = 8, 256
"""Widths of a head that the synthesiser draws: those that attention kernels are written for."""

LEAST_KEYS = 4


def _attention(
    s: Algebra, attrs: Mapping[str, Any], q: Shape, k: Shape, v: Shape, mask: Shape | None = None
) -> list[Dim]:
    if not len(q) == len(k) == len(v):
        raise ShapeError(f"attention of ranks {len(q)}, {len(k)} and {len(v)}")
    batch = [s.same(s.same(a, b), c) for a, b, c in zip(q[:-2], k[:-2], v[:-2], strict=True)]
    scores = [*batch, q[-2], s.same(k[-2], v[-2])]
    s.prefer(s.same(q[-1], k[-1]), LEAST_HEAD, MOST_HEAD)
    s.prefer(v[-1], LEAST_HEAD, MOST_HEAD)
    s.prefer(q[-2], 2)
    s.prefer(k[-2], LEAST_KEYS)
    s.prefer(s.product(scores), 1)  # no value of the program, but it may be held: bounded like one
    if mask is not None:
        if attrs["is_causal"]:
            raise ShapeError("attention is causal or has a mask, not both")
        for whole, size in zip(broadcast(s, attrs, scores, mask), scores, strict=True):
            s.same(whole, size)
    return [*batch, q[-2], v[-1]]


def _keys(
    s: Algebra, attrs: Mapping[str, Any], out: Shape, q: Shape, k: Shape, *_: Shape | None
) -> list[Dim]:
    return [k[-2]]


def _scores(
    s: Algebra, attrs: Mapping[str, Any], out: Shape, q: Shape, k: Shape, *_: Shape | None
) -> list[tuple[int, Shape]]:
    """Each score is a product of two heads, and passes a softmax."""
    scores = [*q[:-1], k[-2]]
    return [(2, [*scores, q[-1]]), (6, scores)]


def _dtype(dtypes: Sequence[str], attrs: Mapping[str, Any]) -> str:
    """A mask is of the same type or boolean."""
    return same_dtype([each for each in dtypes if each != "bool"], attrs)


HEADS = (3, 4)

OPS = (
    Op(
        "scaled_dot_product_attention", "attention",
        (
            Slot("q", ranks=(2, 3, 4, 5), prefer=HEADS), Slot("k", prefer=HEADS, same_rank=True),
            Slot("v", prefer=HEADS, same_rank=True),
            Slot("attn_mask", optional=True, parameter=True, given=lambda attrs: False),
        ),
        _attention, "F.scaled_dot_product_attention",
        ("aten.scaled_dot_product_attention.default(q, k, v, attn_mask, 0.0, is_causal, scale)",),
        (Attr("is_causal", (False, True), False), Attr("scale", (None,), None)),
        dtype=_dtype, terms=_keys, flops_per_output=0, flops_per_term=2, work=_scores, with_terms="mean",
    ),
)  # fmt: skip
