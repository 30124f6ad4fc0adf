"""Reductions over dims, softmax over a dim, and running reductions along one."""

from collections.abc import Mapping
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import FLOATS, NUMBERS_OF_ANY_KIND, Attr, Op, Slot
from tritonrl.program.ops.domains import KEEPDIM, dim, dims
from tritonrl.program.shapes import Algebra, Dim, Shape

X = (Slot("x"),)
SEVERAL_DIMS = (Slot("x", prefer=(2, 3, 4, 5)),)

MOST_OF_A_SCAN = 1024
"""Longest row that the synthesiser scans: a scan is one block in Triton, and error grows along it."""

LEAST_ROWS_OF_A_SCAN = 4
LEAST_TO_INDEX = 4
"""Shortest dim that the synthesiser takes an argmax of: of two candidates one may win everywhere."""


def _reduced(attrs: Mapping[str, Any]) -> tuple[int, ...]:
    return (attrs["dim"],) if isinstance(attrs["dim"], int) else attrs["dim"]


def _reduce(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    """Reduced dims become 1 or go away; to reduce one element is not worth a program."""
    for each in _reduced(attrs):
        s.prefer(x[each], 2)
    kept = 1 if attrs["keepdim"] else None
    sizes = [kept if axis in _reduced(attrs) else size for axis, size in enumerate(x)]
    return [size for size in sizes if size is not None]


def _reduce_to_index(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    s.prefer(x[attrs["dim"]], LEAST_TO_INDEX)
    return _reduce(s, attrs, x)


def _reduced_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape) -> list[Dim]:
    return [x[axis] for axis in _reduced(attrs)]


def _along(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    s.prefer(x[attrs["dim"]], 2)
    return x


def _scanned(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    """One row's running minimum is constant whenever its first element is the least: several rows are not."""
    s.prefer(x[attrs["dim"]], 2, MOST_OF_A_SCAN)
    s.prefer(s.product([size for axis, size in enumerate(x) if axis != attrs["dim"]]), LEAST_ROWS_OF_A_SCAN)
    return x


def _along_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape) -> list[Dim]:
    return [x[attrs["dim"]]]


def _reduction(
    name: str,
    call: str,
    *aten: Match | str,
    attrs: tuple[Attr, ...],
    flops: int = 1,
    with_terms: str | None = None,
    dtypes: tuple[str, ...] = FLOATS,
    index: bool = False,
) -> Op:
    extra: dict[str, Any] = {"dtype": lambda dtypes, attrs: "int64"} if index else {}
    rule = _reduce_to_index if index else _reduce
    return Op(
        name, "reduce", SEVERAL_DIMS, rule, call, aten, attrs, dtypes=dtypes,
        terms=_reduced_terms, flops_per_output=0, flops_per_term=flops, with_terms=with_terms,
        positive=name in ("var", "norm"), **extra,
    )  # fmt: skip


def _along_dim(name: str, category: str, call: str, aten: str, flops: int, with_terms: str) -> Op:
    slots, rule = (SEVERAL_DIMS, _scanned) if category == "scan" else (X, _along)
    return Op(
        name, category, slots, rule, call, (aten,), (dim(),),
        dtypes=NUMBERS_OF_ANY_KIND if name in ("cummax", "cummin") else FLOATS,
        terms=_along_terms, flops_per_output=flops, with_terms=with_terms,
    )  # fmt: skip


def _single(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any] | None:
    """`amax` over one dim is `max`; over several it is another operator."""
    return {**bound, "dim": bound["dim"][0]} if len(bound["dim"]) == 1 else None


def _unbiased(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any]:
    """The older spelling of `correction`."""
    unbiased = bound.pop("unbiased")
    return {**bound, "correction": 1 if unbiased else 0}


SINGLE, SEVERAL = (dim(), KEEPDIM), (dims(), KEEPDIM)

OPS = (
    _reduction(
        "max", "torch.max().values", "aten.max.dim(x, dim, keepdim)[0]",
        Match("aten.amax.default(x, dim, keepdim)", convert=_single),
        attrs=SINGLE, dtypes=NUMBERS_OF_ANY_KIND, with_terms="maximum",
    ),
    _reduction(
        "min", "torch.min().values", "aten.min.dim(x, dim, keepdim)[0]",
        Match("aten.amin.default(x, dim, keepdim)", convert=_single),
        attrs=SINGLE, dtypes=NUMBERS_OF_ANY_KIND, with_terms="minimum",
    ),
    _reduction(
        "sum", "torch.sum", "aten.sum.dim_IntList(x, dim, keepdim)", "aten.sum.default(x)",
        attrs=SEVERAL, with_terms="sum",
    ),
    _reduction(
        "mean", "torch.mean", "aten.mean.dim(x, dim, keepdim)", "aten.mean.default(x)",
        attrs=SEVERAL, with_terms="mean",
    ),
    _reduction(
        "argmax", "torch.argmax", "aten.argmax.default(x, dim, keepdim)", "aten.max.dim(x, dim, keepdim)[1]",
        attrs=SINGLE, index=True,
    ),
    _reduction(
        "argmin", "torch.argmin", "aten.argmin.default(x, dim, keepdim)", "aten.min.dim(x, dim, keepdim)[1]",
        attrs=SINGLE, index=True,
    ),
    _reduction(
        "var", "torch.var", "aten.var.correction(x, dim, correction, keepdim)",
        Match("aten.var.dim(x, dim, unbiased, keepdim)", convert=_unbiased),
        Match("aten.var.default(x, unbiased)", convert=_unbiased),
        attrs=(dims(), Attr("correction", (1, 0), 1), KEEPDIM), flops=4, with_terms="mean",
    ),
    _reduction(
        "norm", "torch.linalg.vector_norm", "aten.linalg_vector_norm.default(x, ord, dim, keepdim)",
        attrs=(Attr("ord", (2, 1), 2), dims(), KEEPDIM), flops=2, with_terms="norm",
    ),
    _along_dim("softmax", "softmax", "F.softmax", "aten.softmax.int(x, dim)", 6, "probability"),
    _along_dim(
        "log_softmax", "softmax", "F.log_softmax", "aten.log_softmax.int(x, dim)", 6, "log_probability"
    ),
    _along_dim("cummax", "scan", "torch.cummax().values", "aten.cummax.default(x, dim)[0]", 1, "maximum"),
    _along_dim("cummin", "scan", "torch.cummin().values", "aten.cummin.default(x, dim)[0]", 1, "minimum"),
    _along_dim("cumsum", "scan", "torch.cumsum", "aten.cumsum.default(x, dim)", 1, "sum"),
)  # fmt: skip
