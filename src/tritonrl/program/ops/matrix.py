"""Products of matrices, and what moves or masks their entries."""

from collections.abc import Mapping
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import ANY_DTYPE, NUMBERS_OF_ANY_KIND, Attr, Op, Slot
from tritonrl.program.ops.arithmetic import broadcast
from tritonrl.program.ops.domains import dim, dims_to_turn, wrap_dim
from tritonrl.program.shapes import Algebra, Dim, Shape, ShapeError


def _matmul(s: Algebra, attrs: Mapping[str, Any], x: Shape, y: Shape) -> list[Dim]:
    """As torch.matmul: inner dims agree, dims before the last two broadcast, a vector loses its dim."""
    if not x or not y:
        raise ShapeError("matmul takes no scalars")
    s.prefer(s.same(x[-1], y[-2] if len(y) > 1 else y[-1]), 4)
    batch = broadcast(s, attrs, x[:-2], y[:-2])
    return [*batch, *x[-2:-1], *(y[-1:] if len(y) > 1 else [])]


def _bmm(s: Algebra, attrs: Mapping[str, Any], x: Shape, y: Shape) -> list[Dim]:
    s.prefer(s.same(x[2], y[1]), 4)
    return [s.same(x[0], y[0]), x[1], y[2]]


def _linear(
    s: Algebra, attrs: Mapping[str, Any], x: Shape, weight: Shape, bias: Shape | None = None
) -> list[Dim]:
    s.prefer(s.same(x[-1], weight[1]), 4)
    features = weight[0] if bias is None else s.same(weight[0], bias[0])
    return [*x[:-1], features]


def _inner(s: Algebra, attrs: Mapping[str, Any], out: Shape, x: Shape, *_: Shape) -> list[Dim]:
    return [x[-1]]


def _product(name: str, call: str, aten: tuple[str, ...], slots: tuple[Slot, ...], rule: Any) -> Op:
    return Op(
        name,
        "matrix",
        slots,
        rule,
        call,
        aten,
        terms=_inner,
        flops_per_output=0,
        flops_per_term=2,
        with_terms="sum",
    )


def _transpose(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    out = list(x)
    out[attrs["dim0"]], out[attrs["dim1"]] = x[attrs["dim1"]], x[attrs["dim0"]]
    return out


def _wrapped(value: int, shapes: tuple[Shape, ...], attrs: Mapping[str, Any]) -> int:
    return wrap_dim(value, len(shapes[0]))


def _ascending(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any] | None:
    """Transposition is symmetric: the smaller dim is named first. Where none is named, the last two."""
    rank = len(shapes[0] or ())
    if rank < 2:
        return None
    first, second = sorted((bound.get("dim0", -2) % rank, bound.get("dim1", -1) % rank))
    return {"dim0": first, "dim1": second}


def _triangle(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    if len(x) < 2:
        raise ShapeError("a triangle needs two dims")
    s.prefer(x[-1], 3)
    s.prefer(x[-2], 3)
    return x


def _masked(name: str) -> Op:
    diagonal = Attr("diagonal", (0, -1, 1), 0)
    slot = Slot("x", ranks=(2, 3, 4, 5))
    return Op(
        name, "matrix", (slot,), _triangle, f"torch.{name}",
        (f"aten.{name}.default(x, diagonal)",), (diagonal,), dtypes=NUMBERS_OF_ANY_KIND,
    )  # fmt: skip


def _flip(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    for axis in attrs["dims"]:
        s.prefer(x[axis], 2)
    return x


def _cat(s: Algebra, attrs: Mapping[str, Any], *xs: Shape) -> list[Dim]:
    out = list(xs[0])
    for x in xs[1:]:
        if len(x) != len(out):
            raise ShapeError(f"cat of ranks {len(out)} and {len(x)}")
        for axis in range(len(out)):
            if axis != attrs["dim"]:
                s.same(out[axis], x[axis])
    out[attrs["dim"]] = s.total([x[attrs["dim"]] for x in xs])
    return out


def _stack(s: Algebra, attrs: Mapping[str, Any], *xs: Shape) -> list[Dim]:
    for x in xs[1:]:
        if len(x) != len(xs[0]):
            raise ShapeError(f"stack of ranks {len(xs[0])} and {len(x)}")
        for a, b in zip(xs[0], x, strict=True):
            s.same(a, b)
    out = list(xs[0])
    out.insert(attrs["dim"], len(xs))
    return out


def _join(name: str, rule: Any, *, new: bool) -> Op:
    slot = Slot("xs", ranks=None, variadic=True, same_rank=True)
    return Op(
        name, "join", (slot,), rule, f"torch.{name}",
        (f"aten.{name}.default(xs, dim)",), (dim(default=0, new=new),),
        dtypes=ANY_DTYPE, flops_per_output=0, arity=(2, 3),
    )  # fmt: skip


MATRIX = (2, 3, 4)

OPS = (
    _product(
        "matmul", "torch.matmul", ("aten.matmul.default(x, y)", "aten.mm.default(x, y)"),
        (Slot("x", prefer=MATRIX), Slot("y", prefer=MATRIX)), _matmul,
    ),
    _product(
        "bmm", "torch.bmm", ("aten.bmm.default(x, y)",),
        (Slot("x", ranks=(3,)), Slot("y", ranks=(3,))), _bmm,
    ),
    _product(
        "linear", "F.linear", ("aten.linear.default(x, weight, bias)",),
        (
            Slot("x", prefer=MATRIX),
            Slot("weight", ranks=(2,), parameter=True),
            Slot("bias", ranks=(1,), optional=True, parameter=True),
        ),
        _linear,
    ),
    Op(
        "transpose", "matrix", (Slot("x", prefer=MATRIX),), _transpose, "torch.transpose",
        (
            Match("aten.transpose.int(x, dim0, dim1)", convert=_ascending),
            Match("aten.t.default(x)", convert=_ascending),
            Match("aten.mT.default(x)", convert=_ascending),
        ),
        (
            Attr("dim0", lambda d: d.rng.randrange(d.ranks[0] - 1), normal=_wrapped),
            Attr("dim1", lambda d: d.rng.randrange(d.attrs["dim0"] + 1, d.ranks[0]), normal=_wrapped),
        ),
        dtypes=ANY_DTYPE, flops_per_output=0,
    ),
    Op(
        "flip", "matrix", (Slot("x", prefer=MATRIX),), _flip, "torch.flip",
        (
            "aten.flip.default(x, dims)",
            Match("aten.flipud.default(x)", {"dims": (0,)}), Match("aten.fliplr.default(x)", {"dims": (1,)}),
        ),
        (dims_to_turn(),), dtypes=ANY_DTYPE, flops_per_output=0,
    ),
    _masked("triu"),
    _masked("tril"),
    _join("cat", _cat, new=False),
    _join("stack", _stack, new=True),
)  # fmt: skip
