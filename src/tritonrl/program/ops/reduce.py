"""Reductions over dims, softmax over a dim, and running reductions along one."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import FLOATS, NUMBERS_OF_ANY_KIND, Attr, Op, Rule, Slot
from tritonrl.program.ops.domains import KEEPDIM, dim, dims, whole_if_it_is
from tritonrl.program.shapes import Algebra, Dim, Shape

SEVERAL_DIMS = (2, 3, 4, 5)

MOST_OF_A_SCAN = 1024
"""Longest row that the synthesiser scans: a scan is one block in Triton, and error grows along it."""

MOST_OF_A_PRODUCT = 32
"""Longest row that the synthesiser multiplies up: of numbers between 0.5 and 1.5 such a product lies mostly
between 1/100 and 10, a longer one soon below what float16 can say."""

MOST_OF_A_LOG_SUM = 256
"""Most terms that the synthesiser takes a logsumexp of: of more normal numbers it hardly varies."""

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


def _log_sum(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    s.prefer(s.product([x[each] for each in _reduced(attrs)]), 2, MOST_OF_A_LOG_SUM)
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


def _multiplied(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    s.prefer(x[attrs["dim"]], MOST_OF_A_PRODUCT // 4, MOST_OF_A_PRODUCT)
    return _scanned(s, attrs, x)


def _along_terms(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape) -> list[Dim]:
    return [x[attrs["dim"]]]


def _reduction(
    name: str,
    call: str,
    *aten: Match | str,
    attrs: tuple[Attr, ...],
    flops: int = 1,
    with_terms: str | Callable[[Mapping[str, Any]], str | None] | None = None,
    dtypes: tuple[str, ...] = FLOATS,
    sampled_dtypes: tuple[str, ...] | None = None,
    rule: Rule = _reduce,
    gives: tuple[str, ...] = (),
) -> Op:
    extra: dict[str, Any] = {"dtype": lambda dtypes, attrs: "int64"} if rule is _reduce_to_index else {}
    return Op(
        name, "reduce", (Slot("x", prefer=SEVERAL_DIMS),), rule, call, aten, attrs, dtypes=dtypes,
        sampled_dtypes=sampled_dtypes, terms=_reduced_terms, flops_per_output=0, flops_per_term=flops,
        with_terms=with_terms, gives=gives, **extra,
    )  # fmt: skip


def _along_dim(
    name: str,
    category: str,
    call: str,
    aten: str,
    flops: int,
    with_terms: str,
    rule: Rule | None = None,
    needs: str | None = None,
    gives: tuple[str, ...] = (),
) -> Op:
    scan = category == "scan"
    slots = (Slot("x", prefer=SEVERAL_DIMS if scan else None, needs=needs),)
    rule = rule or (_scanned if scan else _along)
    return Op(
        name, category, slots, rule, call, (aten,), (dim(),),
        dtypes=NUMBERS_OF_ANY_KIND if name in ("cummax", "cummin") else FLOATS,
        terms=_along_terms, flops_per_output=flops, with_terms=with_terms, gives=gives,
    )  # fmt: skip


def _single(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any] | None:
    """`amax` over one dim is `max`; over several it is another operator."""
    return {**bound, "dim": bound["dim"][0]} if len(bound["dim"]) == 1 else None


def _of_vectors(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any] | None:
    """`linalg.norm` is one of vectors over one dim or where it does not say which; over two, of matrices."""
    over_one = len(bound["dim"] or shapes[0] or ()) == 1
    if bound["ord"] is not None and not over_one:
        return None
    return {**bound, "ord": 2 if bound["ord"] is None else bound["ord"]}


def _with_terms_of_a_norm(attrs: Mapping[str, Any]) -> str | None:
    return {1: "sum", 2: "norm", math.inf: "maximum"}.get(attrs["ord"])


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
        attrs=SINGLE, rule=_reduce_to_index,
    ),
    _reduction(
        "argmin", "torch.argmin", "aten.argmin.default(x, dim, keepdim)", "aten.min.dim(x, dim, keepdim)[1]",
        attrs=SINGLE, rule=_reduce_to_index,
    ),
    _reduction(
        "var", "torch.var", "aten.var.correction(x, dim, correction, keepdim)",
        Match("aten.var.dim(x, dim, unbiased, keepdim)", convert=_unbiased),
        Match("aten.var.default(x, unbiased)", convert=_unbiased),
        attrs=(dims(), Attr("correction", (1, 0), 1), KEEPDIM), flops=4, with_terms="mean",
        gives=("positive",),
    ),
    _reduction(
        "norm", "torch.linalg.vector_norm", "aten.linalg_vector_norm.default(x, ord, dim, keepdim)",
        Match("aten.linalg_norm.default(x, ord, dim, keepdim)", convert=_of_vectors),
        Match("aten.linalg_norm.ord_str(x, 'fro', dim, keepdim)", {"ord": 2}),
        Match("aten.linalg_matrix_norm.str_ord(x, 'fro', dim, keepdim)", {"ord": 2}),
        attrs=(Attr("ord", (2, 1, math.inf), 2, whole_if_it_is), dims(), KEEPDIM), flops=2,
        with_terms=_with_terms_of_a_norm, gives=("positive",),
    ),
    _reduction(
        "logsumexp", "torch.logsumexp", "aten.logsumexp.default(x, dim, keepdim)", attrs=SEVERAL, flops=5,
        with_terms="log_sum", rule=_log_sum,
        sampled_dtypes=("float32", "float16"),  # bfloat16 is too coarse for what little it varies
    ),
    _along_dim(
        "softmax", "softmax", "F.softmax", "aten.softmax.int(x, dim)", 6, "probability", gives=("unit",)
    ),
    _along_dim(
        "log_softmax", "softmax", "F.log_softmax", "aten.log_softmax.int(x, dim)", 6, "log_probability"
    ),
    _along_dim("cummax", "scan", "torch.cummax().values", "aten.cummax.default(x, dim)[0]", 1, "maximum"),
    _along_dim("cummin", "scan", "torch.cummin().values", "aten.cummin.default(x, dim)[0]", 1, "minimum"),
    _along_dim("cumsum", "scan", "torch.cumsum", "aten.cumsum.default(x, dim)", 1, "sum"),
    _along_dim(
        "cumprod", "scan", "torch.cumprod", "aten.cumprod.default(x, dim)", 1, "product",
        rule=_multiplied, needs="positive", gives=("positive",),
    ),
)  # fmt: skip
