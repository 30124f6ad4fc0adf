"""Element-wise arithmetic with broadcasting: two tensors, three tensors, a tensor and a number."""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import FLOATS, NUMBERS_OF_ANY_KIND, Attr, Op, Slot
from tritonrl.program.ops.domains import scalar, whole_if_it_is
from tritonrl.program.shapes import Algebra, Dim, Shape, ShapeError

X, Y = Slot("x"), Slot("y")


def broadcast(s: Algebra, attrs: Mapping[str, Any], *shapes: Shape) -> list[Dim]:
    """Shapes are aligned at the right; a missing dim counts as 1."""
    rank = max(len(shape) for shape in shapes)
    out: list[Dim] = [1] * (rank - len(shapes[0])) + list(shapes[0])
    for shape in shapes[1:]:
        offset = rank - len(shape)
        out = [*out[:offset], *(s.broadcast(a, b) for a, b in zip(out[offset:], shape, strict=True))]
    return out


def unchanged(s: Algebra, attrs: Mapping[str, Any], x: Shape, *_: Shape) -> Shape:
    return x


def _binary(name: str, *aten: str, dtypes: tuple[str, ...] = NUMBERS_OF_ANY_KIND, y: Slot = Y) -> Op:
    return Op(name, "binary", (X, y), broadcast, f"torch.{name}", aten, dtypes=dtypes)


def _keeps_kind(dtypes: Sequence[str], attrs: Mapping[str, Any]) -> str:
    if dtypes[0] not in FLOATS and not isinstance(attrs["value"], int):
        raise ShapeError(f"{dtypes[0]} with {attrs['value']} gives another type")
    return dtypes[0]


def _scalar(
    name: str,
    call: str,
    *aten: Match | str,
    floats: Sequence[float],
    integers: Sequence[int] = (2, 3, 5),
    dtypes: tuple[str, ...] = NUMBERS_OF_ANY_KIND,
) -> Op:
    value = scalar("value", floats, integers)
    return Op(name, "scalar", (X,), unchanged, call, aten, (value,), dtypes=dtypes, dtype=_keeps_kind)


def _whole_exponent(value: Any, *_: Any) -> int:
    if value != int(value) or value < 0:
        raise ShapeError(f"{value} is no whole exponent: that is pow_positive")
    return int(value)


def _other_exponent(value: Any, *_: Any) -> float:
    if value == int(value) and value >= 0:
        raise ShapeError(f"{value} is a whole exponent: that is pow")
    return whole_if_it_is(value)


OPS = (
    _binary("add", "aten.add.Tensor(x, y, 1)"),
    _binary("mul", "aten.mul.Tensor(x, y)"),
    _binary("sub", "aten.sub.Tensor(x, y, 1)"),
    _binary("div", "aten.div.Tensor(x, y)", dtypes=FLOATS, y=Slot("y", needs="positive")),
    _binary("maximum", "aten.maximum.default(x, y)", "aten.max.other(x, y)"),
    _binary("minimum", "aten.minimum.default(x, y)", "aten.min.other(x, y)"),
    Op(
        "lerp", "ternary", (X, Y, Slot("weight")), broadcast, "torch.lerp",
        ("aten.lerp.Tensor(x, y, weight)",), flops_per_output=3,
    ),
    _scalar(
        "add_scalar", "{x} + {value}", "aten.add.Tensor(x, value, 1)", "aten.add.Scalar(x, value, 1)",
        floats=(0.5, 1.0, 2.0, -0.25, -1.5),
    ),
    _scalar("sub_scalar", "{x} - {value}", "aten.sub.Tensor(x, value, 1)", floats=(0.5, 1.0, 2.0, 0.125)),
    _scalar("rsub_scalar", "{value} - {x}", "aten.rsub.Scalar(x, value, 1)", floats=(1.0, 2.0, 0.5)),
    _scalar(
        "mul_scalar", "{x} * {value}", "aten.mul.Tensor(x, value)", "aten.mul.Scalar(x, value)",
        Match("aten.neg.default(x)", {"value": -1}), floats=(0.5, 2.0, -1.0, 0.1, 1.7),
    ),
    _scalar(
        "div_scalar", "{x} / {value}", "aten.div.Tensor(x, value)", "aten.div.Scalar(x, value)",
        floats=(2.0, 3.0, 8.0, -4.0), dtypes=FLOATS,
    ),
    Op(
        "rdiv_scalar", "scalar", (Slot("x", needs="positive"),), unchanged, "{value} / {x}",
        (
            "aten.mul.Tensor(aten.reciprocal.default(x), value)",
            Match("aten.reciprocal.default(x)", {"value": 1}),
        ),
        (scalar("value", (1.0, 2.0, 0.5), ()),), flops_per_output=2,
    ),
    Op(
        "pow", "scalar", (X,), unchanged, "torch.pow({x}, {exponent})",
        ("aten.pow.Tensor_Scalar(x, exponent)", Match("aten.square.default(x)", {"exponent": 2})),
        (Attr("exponent", (2, 2, 3), normal=_whole_exponent),), flops_per_output=2,
    ),
    Op(
        "pow_positive", "scalar", (Slot("x", needs="positive"),), unchanged, "torch.pow({x}, {exponent})",
        ("aten.pow.Tensor_Scalar(x, exponent)",),
        (Attr("exponent", (0.5, 1.5, 2.5, -0.5, -2), normal=_other_exponent),),
        flops_per_output=8, gives=("positive",),
    ),
    Op(
        "lerp_scalar", "scalar", (X, Y), broadcast, "torch.lerp({x}, {y}, {value})",
        ("aten.lerp.Scalar(x, y, value)",), (scalar("value", (0.1, 0.25, 0.3, 0.7, 0.9), ()),),
        flops_per_output=3,
    ),
)  # fmt: skip
