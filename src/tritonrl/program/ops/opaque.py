"""The row for whatever the table does not know: it stays in PyTorch, as capture found it."""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.op import ANY_DTYPE, Attr, Op, Slot
from tritonrl.program.shapes import Algebra, Shape


def _shape(s: Algebra, attrs: Mapping[str, Any], *operands: Shape) -> Shape:
    return attrs["shape"]


def _dtype(dtypes: Sequence[str], attrs: Mapping[str, Any]) -> str:
    return attrs["dtype"]


def _call(operands: Sequence[str | None], attrs: Mapping[str, Any]) -> str:
    return attrs["call"].format(*operands)


OPAQUE = Op(
    "opaque",
    "opaque",
    (Slot("xs", variadic=True, optional=True),),
    _shape,
    _call,
    aten=(),
    attrs=(Attr("call", ()), Attr("shape", ()), Attr("dtype", ())),
    dtypes=(*ANY_DTYPE, "complex64", "complex128"),
    dtype=_dtype,
)
"""`call` is the ATen call with `{0}`, `{1}` … for its tensors; `shape` and `dtype` are what export saw."""
