"""Operators over rows: statistics of a row, and what each element, or the row, becomes by them.

Elements of an operand fall into rows, by the dims that are kept, and columns, by those that are gone over. An
operator is a line of the table: statistics one after the other, each a sum, a largest or a smallest over the
row, then the element's or the row's result. A kernel that holds a row computes them in one go, one that does
not in passes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tritonrl.program.program import Program
from tritonrl.teach.composer.indexing import Axis, Index, split
from tritonrl.teach.composer.numbers import atom, extent, quotient, times
from tritonrl.teach.composer.pointwise import LOSSES

NEUTRAL = {"sum": "0.0", "max": '-float("inf")', "min": 'float("inf")'}
COMBINE = {"sum": "{a} + {b}", "max": "tl.maximum({a}, {b})", "min": "tl.minimum({a}, {b})"}
"""Ways to go over a row: what to start from, and how two are one."""


@dataclass(frozen=True)
class Statistic:
    """One pass over a row."""

    name: str
    how: str
    """`sum`, `max` or `min`."""
    of: str
    """Of each element `{x}`; earlier statistics are known by name."""
    then: str = ""
    """What becomes of it, in terms of itself and of the number of columns `{n}`."""

    def finished(self, text: str, words: Mapping[str, str]) -> str:
        """What becomes of it when a row has been gone over."""
        after = self.then.replace(f"{{{self.name}}}", text)
        return after.format(**words) if after else text


@dataclass(frozen=True)
class RowOperator:
    """Statistics, and a result: of every element, or of the row."""

    statistics: tuple[Statistic, ...]
    element: str = ""
    result: str = ""


def _one(name: str, how: str, of: str = "{x}", result: str = "") -> RowOperator:
    return RowOperator((Statistic(name, how, of),), result=result or f"{{{name}}}")


@dataclass(frozen=True)
class Scan:
    """Each element with all before it; in blocks, with what the blocks before it come to."""

    text: str
    block: str
    """What a block comes to."""
    joined: str
    """Of that and of what is carried along."""
    neutral: str


SCANS: Mapping[str, Scan] = {
    "cumsum": Scan("tl.cumsum({x}, axis={axis})", "tl.sum({x}, {over})", "{a} + {b}", "0.0"),
    "cumprod": Scan(
        "tl.associative_scan({x}, {axis}, times)", "tl.reduce({x}, {axis}, times{keep})", "{a} * {b}", "1.0"
    ),
    "cummax": Scan(
        "tl.associative_scan({x}, {axis}, larger)", "tl.max({x}, {over})", "tl.maximum({a}, {b})",
        '-float("inf")',
    ),
    "cummin": Scan(
        "tl.associative_scan({x}, {axis}, smaller)", "tl.min({x}, {over})", "tl.minimum({a}, {b})",
        'float("inf")',
    ),
}  # fmt: skip

LARGEST = Statistic("largest", "max", "{x}")


def _distance(name: str, other: str) -> Statistic:
    return Statistic(name, "sum", f"({{x}} - {{{other}}} + {{eps}}) * ({{x}} - {{{other}}} + {{eps}})")


SMALLEST = Statistic("largest", "min", "{x}")
PLACE = Statistic("place", "min", "tl.where({x} == {largest}, col, {n})")
TOTAL = Statistic("total", "sum", "tl.exp({below})")
MEAN = Statistic("mean", "sum", "{x}", "{mean} / {n}")
VARIANCE = Statistic("variance", "sum", "({x} - {mean}) * ({x} - {mean})", "{variance} / {n}")
PICKED = Statistic("picked", "sum", "tl.where(col == {y}, {x}, 0.0)")
NORMALISED = RowOperator((MEAN, VARIANCE), element="({x} - {mean}) * tl.rsqrt({variance} + {eps})")


def _surprise(share: str) -> RowOperator:
    """At what is the case, of which each element has this share."""
    each = Statistic("surprise", "sum", f"{share} * ({{largest}} + tl.log({{total}}) - {{x}})")
    return RowOperator((LARGEST, TOTAL, each), result="{surprise}")


TABLE: Mapping[str, RowOperator] = {
    "sum": _one("total", "sum"),
    "mean": RowOperator((MEAN,), result="{mean}"),
    "max": _one("largest", "max"),
    "min": _one("smallest", "min"),
    "norm": _one("squares", "sum", "{x} * {x}", "tl.sqrt({squares})"),
    "logsumexp": RowOperator((LARGEST, TOTAL), result="{largest} + tl.log({total})"),
    "argmax": RowOperator((LARGEST, PLACE), result="{place}.to(tl.int64)"),
    "argmin": RowOperator((SMALLEST, PLACE), result="{place}.to(tl.int64)"),
    "triplet_margin_loss": RowOperator(
        (_distance("near", "y"), _distance("far", "z")),
        result="tl.maximum(tl.sqrt({near}) - tl.sqrt({far}) + {margin}, 0.0)",
    ),
    "cross_entropy": RowOperator(
        (LARGEST, TOTAL, MEAN, PICKED),
        result="{largest} + tl.log({total}) - (1.0 - {label_smoothing}) * {picked} "
        "- {label_smoothing} * {mean}",
    ),
    "soft_cross_entropy": _surprise("((1.0 - {label_smoothing}) * {y} + {label_smoothing} / {n})"),
    **{name: RowOperator((), element=scan.text) for name, scan in SCANS.items()},
    "var": RowOperator((MEAN, replace(VARIANCE, then="")), result="{variance} / ({n} - {correction})"),
    "softmax": RowOperator((LARGEST, TOTAL), element="tl.exp({below}) / {total}"),
    "log_softmax": RowOperator((LARGEST, TOTAL), element="{below} - tl.log({total})"),
    "layer_norm": NORMALISED,
    "group_norm": NORMALISED,
    "instance_norm": NORMALISED,
    "batch_norm": NORMALISED,
}
UNSMOOTHED = {
    "cross_entropy": RowOperator((LARGEST, TOTAL, PICKED), result="{largest} + tl.log({total}) - {picked}"),
    "soft_cross_entropy": _surprise("{y}"),
}
"""Losses whose labels are taken as they are."""
NORMS = {
    1: _one("total", "sum", "tl.abs({x})"),
    2: TABLE["norm"],
    float("inf"): _one("largest", "max", "tl.abs({x})"),
}
"""By order."""
WHOLE_POOLS = {"adaptive_avg_pool": "mean", "adaptive_max_pool": "max"}
"""Pools by what they are where one window sees everything."""


def operator(program: Program, value: int) -> RowOperator | None:
    """The row operator that computes a value; None for another."""
    node = program.node_of(value)
    if node is None or (node.op == "batch_norm" and not node.attrs["training"]):
        return None
    if node.op == "norm":
        return NORMS.get(node.attrs["ord"])
    if set(node.attrs.get("output_size", ())) == {1}:
        return TABLE[WHOLE_POOLS[node.op[:-2]]]
    reduction = node.attrs.get("reduction", "none")
    if node.op in LOSSES and reduction != "none":
        result = {"mean": "{total} / {n}", "sum": "{total}"}.get(reduction)
        return _one("total", "sum", LOSSES[node.op], result) if result else None
    table = UNSMOOTHED if node.attrs.get("label_smoothing") == 0 else TABLE
    return table.get(node.op) if reduction == "none" else None


@dataclass(frozen=True)
class Rows:
    """How the elements of a tensor fall into rows and columns."""

    shape: tuple[int, ...]
    gone_over: tuple[int, ...]
    """Dims along a row."""
    groups: int = 0
    """Of channels, each a part of a row; 0 where there are none."""

    @property
    def is_across(self) -> bool:
        """Whether it is rows that lie beside each other in memory, not the elements of one."""
        return not self.groups and len(self.shape) - 1 not in self.gone_over

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(self.shape)) if axis not in self.gone_over)

    @property
    def num_columns(self) -> int:
        size = extent(self.shape, self.gone_over)
        return quotient(size, self.groups) if self.groups else size

    @property
    def num_rows(self) -> int:
        size = extent(self.shape, self.kept)
        return times(size, self.groups) if self.groups else size

    @property
    def lines(self) -> list[str]:
        """What must stand before an element's place can be named: the channel, where a row has several."""
        if not self.groups:
            return []
        each, after = quotient(self.shape[1], self.groups), extent(self.shape[2:])
        inner = "col" if after == 1 else f"col // {after}"
        return [f"channel = row % {self.groups} * {atom(each)} + {inner}"]

    def index(self) -> Index:
        """Of an element."""
        if self.groups:
            batch = Axis("row", self.shape[0], self.groups, self.num_rows) if self.shape[0] > 1 else None
            channel = Axis("channel", self.shape[1], 1, self.shape[1])
            inner = split("col", (self.shape[1] // self.groups, *self.shape[2:]))[1:]
            return (batch, channel, *inner)
        row = dict(zip(self.kept, split("row", self.shape, self.kept), strict=True))
        col = dict(zip(self.gone_over, split("col", self.shape, self.gone_over), strict=True))
        return tuple({**row, **col}[axis] for axis in range(len(self.shape)))

    def row_index(self, keepdim: bool) -> Index:
        """Of a row's result."""
        own = [None if axis in self.gone_over else each for axis, each in enumerate(self.index())]
        return tuple(each for axis, each in enumerate(own) if keepdim or axis not in self.gone_over)


def rows_of(program: Program, value: int) -> Rows:
    """The rows of the operand of a row operator."""
    node = program.node_of(value)
    assert node is not None
    shape = program.values[node.operands[0]].shape
    rank, attrs = len(shape), node.attrs
    if node.op == "layer_norm":
        return Rows(shape, tuple(range(rank - attrs["normalized_dims"], rank)))
    if node.op == "instance_norm":
        return Rows(shape, tuple(range(2, rank)))
    if node.op == "batch_norm":
        return Rows(shape, (0, *range(2, rank)))
    if node.op == "group_norm":
        return Rows(shape, tuple(range(1, rank)), groups=attrs["num_groups"])
    if "output_size" in attrs:
        return Rows(shape, tuple(range(rank - len(attrs["output_size"]), rank)))
    if node.op in LOSSES:
        return Rows(shape, tuple(range(rank)))
    if node.op.endswith("cross_entropy"):
        return Rows(shape, (1,))
    if node.op == "triplet_margin_loss":
        return Rows(shape, (rank - 1,))
    dim = attrs["dim"]
    if dim is None:
        return Rows(shape, tuple(range(rank)))
    return Rows(shape, (dim,) if isinstance(dim, int) else tuple(sorted(dim)))


def parameters(program: Program, value: int, index: Index) -> dict[str, tuple[int, Index]]:
    """The weight and bias of a normalisation, and where each is read for an element."""
    node = program.node_of(value)
    assert node is not None
    found = {}
    for slot, operand in zip(node.row.slots, node.inputs, strict=False):
        if slot.name in ("weight", "bias") and operand is not None:
            wanted = index[-node.attrs["normalized_dims"] :] if node.op == "layer_norm" else index[1:2]
            found[slot.name] = (operand, wanted)
    return found
