"""Views: they rearrange the reading of memory, compute nothing, and do not count towards the level."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.aten import Match
from tritonrl.program.op import ANY_DTYPE, Attr, Draw, Op, Slot
from tritonrl.program.ops.domains import dim, wrap_dim
from tritonrl.program.shapes import Algebra, Dim, Shape, ShapeError

X = (Slot("x"),)


def _row(name: str, rule: Any, call: Any, attrs: tuple[Attr, ...], *aten: Match | str) -> Op:
    return Op(name, "view", X, rule, call, aten, attrs, dtypes=ANY_DTYPE, flops_per_output=0)


def _whole(value: Any, shapes: tuple[Shape, ...], _: Mapping[str, Any]) -> tuple[int, ...]:
    """A target shape with its -1 worked out."""
    known = math.prod(size for size in value if size != -1)
    return tuple(math.prod(shapes[0]) // max(known, 1) if size == -1 else size for size in value)


def _expanded(value: Any, shapes: tuple[Shape, ...], _: Mapping[str, Any]) -> tuple[int, ...]:
    """A target shape with -1 standing for the size that is there."""
    padded = (1,) * (len(value) - len(shapes[0])) + tuple(shapes[0])
    return tuple(old if new == -1 else new for new, old in zip(value, padded, strict=True))


def _reshape(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    s.same(s.product(x), math.prod(attrs["shape"]))
    return attrs["shape"]


def _expand(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> Shape:
    size = attrs["size"]
    for old, new in zip(x, size[len(size) - len(x) :], strict=True):
        s.same(s.broadcast(old, new), new)
    return size


def _permute(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    if sorted(attrs["dims"]) != list(range(len(x))):
        raise ShapeError(f"{attrs['dims']} is no permutation of {len(x)} dims")
    return [x[axis] for axis in attrs["dims"]]


def _shuffled(draw: Draw) -> tuple[int, ...]:
    """Any order but the one that is there."""
    order = list(range(draw.ranks[0]))
    while order == sorted(order) and len(order) > 1:
        draw.rng.shuffle(order)
    return tuple(order)


def _squeeze(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    for axis in attrs["dim"]:
        s.same(x[axis], 1)
    return [size for axis, size in enumerate(x) if axis not in attrs["dim"]]


def _ones(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any]:
    """`squeeze` passes over the named dims that are not 1; the row names only those that are."""
    x = shapes[0] or ()
    named = bound.get("dim", range(len(x)))
    chosen = [named] if isinstance(named, int) else named
    return {"dim": tuple(sorted(wrap_dim(each, len(x)) for each in chosen if x and x[each] == 1))}


def _unsqueeze(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    return [*x[: attrs["dim"]], 1, *x[attrs["dim"] :]]


def _select(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    s.at_least(x[attrs["dim"]], attrs["index"] + 1)
    return [size for axis, size in enumerate(x) if axis != attrs["dim"]]


def _from_front(name: str) -> Any:
    """An index or bound counted from the front; beyond the end it is the end."""

    def normal(value: int | None, shapes: tuple[Shape, ...], attrs: Mapping[str, Any]) -> int | None:
        size = shapes[0][attrs["dim"]]
        if value is None or (name == "end" and value >= size):
            return None
        return max(value + size, 0) if value < 0 else value

    return normal


def _slice(s: Algebra, attrs: Mapping[str, Any], x: Shape) -> list[Dim]:
    out = list(x)
    out[attrs["dim"]] = s.strided(x[attrs["dim"]], attrs["start"], attrs["end"], attrs["step"])
    return out


def _slice_call(operands: Sequence[str | None], attrs: Mapping[str, Any]) -> str:
    start, end, step = (attrs[key] for key in ("start", "end", "step"))
    bounds = f"{start or ''}:{'' if end is None else end}" + (f":{step}" if step != 1 else "")
    return f"{operands[0]}[{':, ' * attrs['dim']}{bounds}]"


def _piece(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any]:
    """One output of `split` is a slice."""
    x = shapes[0] or ()
    axis, which, sizes = wrap_dim(bound["dim"], len(x)), bound["which"], bound["sizes"]
    start = which * sizes if isinstance(sizes, int) else sum(sizes[:which])
    length = sizes if isinstance(sizes, int) else sizes[which]
    return {"dim": axis, "start": start, "end": start + length}


def _unbound(bound: dict[str, Any], shapes: list[tuple[int, ...] | None]) -> dict[str, Any]:
    return {"dim": bound["dim"], "index": bound["which"]}


FIXED: tuple[Any, ...] = ()
"""Domain of an attribute that only capture gives: it names sizes, which the synthesiser solves for."""

DIM = dim(default=0)
DIMS = Attr("dim", FIXED)

OPS = (
    _row(
        "reshape", _reshape, "torch.reshape", (Attr("shape", FIXED, normal=_whole),),
        "aten.view.default(x, shape)", "aten.reshape.default(x, shape)",
        "aten._unsafe_view.default(x, shape)",
    ),
    _row(
        "expand", _expand, "{x}.expand({size})", (Attr("size", FIXED, normal=_expanded),),
        "aten.expand.default(x, size)",
    ),
    _row(
        "permute", _permute, "torch.permute",
        (Attr("dims", _shuffled, normal=lambda v, shapes, _: tuple(wrap_dim(d, len(shapes[0])) for d in v)),),
        "aten.permute.default(x, dims)",
    ),
    _row(
        "squeeze", _squeeze, "torch.squeeze", (DIMS,),
        *(
            Match(form, convert=_ones)
            for form in ("aten.squeeze.dim(x, dim)", "aten.squeeze.dims(x, dim)", "aten.squeeze.default(x)")
        ),
    ),
    _row("unsqueeze", _unsqueeze, "torch.unsqueeze", (dim(new=True),), "aten.unsqueeze.default(x, dim)"),
    _row(
        "select", _select, "torch.select", (dim(), Attr("index", (0, 1), normal=_from_front("index"))),
        "aten.select.int(x, dim, index)", Match("aten.unbind.int(x, dim)[which]", convert=_unbound),
    ),
    _row(
        "slice", _slice, _slice_call,
        (
            DIM, Attr("start", (0, 1, 2), 0, _from_front("start")),
            Attr("end", (None,), None, _from_front("end")),
            Attr("step", lambda d: d.rng.choice((1, 2)) if d.attrs["start"] else 2, 1),
        ),
        "aten.slice.Tensor(x, dim, start, end, step)",
        Match("aten.split.Tensor(x, sizes, dim)[which]", convert=_piece),
        Match("aten.split_with_sizes.default(x, sizes, dim)[which]", convert=_piece),
    ),
)  # fmt: skip
