"""Normalisations: batch, layer, group, instance; affine parameters are optional operands."""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import Attr, Op, Slot
from tritonrl.program.shapes import Algebra, Dim, Shape, ShapeError

EPS = Attr("eps", (1e-5, 1e-5, 1e-6, 1e-3), 1e-5)

LEAST_TO_NORMALISE = 4
"""Fewest elements that the synthesiser lets a norm work on; over one or two the result is a sign."""

LEAST_CHANNELS = 4
"""Fewest channels that the synthesiser gives a scale or shift of their own: one or two drown the rest."""


AFFINE = tuple(Slot(name, (1,), optional=True, parameter=True) for name in ("weight", "bias"))


def _per_channel(s: Algebra, x: Shape, *parameters: Shape | None) -> None:
    for parameter in parameters:
        if parameter is not None:
            s.prefer(s.same(x[1], parameter[0]), LEAST_CHANNELS)


def _batch(s: Algebra, attrs: Mapping[str, Any], x: Shape, *parameters: Shape | None) -> Shape:
    if not attrs["training"] and (len(parameters) < 2 or None in parameters[:2]):
        raise ShapeError("batch_norm in eval mode needs its running statistics")
    if attrs["training"]:
        s.prefer(s.product([x[0], *x[2:]]), LEAST_TO_NORMALISE)
    _per_channel(s, x, *parameters)
    return x


def _batch_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, *_: Shape | None) -> list[Dim]:
    return [x[0], *x[2:]] if attrs["training"] else []


def _layer(s: Algebra, attrs: Mapping[str, Any], x: Shape, *affine: Shape | None) -> Shape:
    count = attrs["normalized_dims"]
    if not 0 < count <= len(x):
        raise ShapeError(f"layer_norm over {count} dims of rank {len(x)}")
    s.prefer(s.product(x[-count:]), LEAST_TO_NORMALISE)
    for parameter in affine:
        if parameter is not None:
            if len(parameter) != count:
                raise ShapeError(f"layer_norm over {count} dims with a parameter of rank {len(parameter)}")
            for a, b in zip(x[-count:], parameter, strict=True):
                s.same(a, b)
    return x


def _layer_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, *_: Shape | None) -> list[Dim]:
    return list(x[-attrs["normalized_dims"] :])


def _layer_call(operands: Sequence[str | None], attrs: Mapping[str, Any]) -> str:
    """The normalised shape is read off the operand, so that the line holds for any size."""
    x, *affine = operands
    arguments = [f"{x}, {x}.shape[-{attrs['normalized_dims']}:]"]
    arguments += [f"{slot.name}={name}" for slot, name in zip(AFFINE, affine, strict=False) if name]
    arguments += [f"eps={attrs['eps']}"] if attrs["eps"] != EPS.default else []
    return f"F.layer_norm({', '.join(arguments)})"


def _count_dims(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any]:
    return {"normalized_dims": len(bound["normalized_shape"]), "eps": bound["eps"]}


def _group(s: Algebra, attrs: Mapping[str, Any], x: Shape, *affine: Shape | None) -> Shape:
    per_group = s.divided(x[1], attrs["num_groups"])
    s.prefer(s.product([per_group, *x[2:]]), LEAST_TO_NORMALISE)
    _per_channel(s, x, *affine)
    return x


def _group_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, *_: Shape | None) -> list[Dim]:
    return [s.divided(x[1], attrs["num_groups"]), *x[2:]]


def _instance(s: Algebra, attrs: Mapping[str, Any], x: Shape, *affine: Shape | None) -> Shape:
    s.at_least(s.product(x[2:]), 2)
    s.prefer(s.product(x[2:]), LEAST_TO_NORMALISE)
    _per_channel(s, x, *affine)
    return x


def _instance_terms(
    s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, *_: Shape | None
) -> list[Dim]:
    return list(x[2:])


def _statistic(name: str, needs: str | None = None) -> Slot:
    """Running statistics are used in eval mode and only there."""
    return Slot(
        name, (1,), optional=True, explicit_none=True, parameter=True, needs=needs,
        given=lambda attrs: not attrs["training"],
    )  # fmt: skip


def _normalized_rank(attrs: Mapping[str, Any]) -> int:
    return attrs["normalized_dims"]


def _row(name: str, slots: tuple[Slot, ...], rule: Any, terms: Any, call: Any, aten: Any, *attrs: Attr) -> Op:
    return Op(name, "norm", slots, rule, call, aten, (*attrs, EPS), terms=terms, flops_per_output=8)


OPS = (
    _row(
        "batch_norm",
        (
            Slot("x", ranks=(2, 3, 4, 5)),
            _statistic("running_mean"),
            _statistic("running_var", "positive"),
            *AFFINE,
        ),
        _batch, _batch_terms, "F.batch_norm",
        (
            Match(
                "aten._native_batch_norm_legit_no_training.default"
                "(x, weight, bias, running_mean, running_var, _, eps)[0]",
                {"training": False},
            ),
            Match(
                "aten._native_batch_norm_legit.no_stats(x, weight, bias, True, _, eps)[0]", {"training": True}
            ),
            Match(
                "aten._native_batch_norm_legit_functional.default(x, weight, bias, _, _, True, _, eps)[0]",
                {"training": True},
            ),
            Match(
                "aten.instance_norm.default(x, weight, bias, running_mean, running_var, False, _, eps, _)",
                {"training": False},
            ),
        ),
        Attr("training", (False, True), False),
    ),
    _row(
        "layer_norm",
        (
            Slot("x"),
            Slot("weight", optional=True, parameter=True, rank=_normalized_rank),
            Slot("bias", optional=True, parameter=True, rank=_normalized_rank),
        ),
        _layer, _layer_terms, _layer_call,
        (Match("aten.layer_norm.default(x, normalized_shape, weight, bias, eps, _)", convert=_count_dims),),
        Attr("normalized_dims", lambda draw: draw.rng.randint(1, max(1, min(2, draw.ranks[0] - 1)))),
    ),
    _row(
        "group_norm", (Slot("x", ranks=(2, 3, 4, 5), prefer=(3, 4, 5)), *AFFINE),
        _group, _group_terms, "F.group_norm",
        ("aten.group_norm.default(x, num_groups, weight, bias, eps, _)",),
        Attr("num_groups", (1, 2, 2, 4, 4, 8)),
    ),
    _row(
        "instance_norm", (Slot("x", ranks=(3, 4, 5)), *AFFINE), _instance, _instance_terms, "F.instance_norm",
        ("aten.instance_norm.default(x, weight, bias, None, None, True, _, eps, _)",),
    ),
)  # fmt: skip
