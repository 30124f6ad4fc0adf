"""Attribute kinds that many rows share: a dim, several dims, a size per axis, a scalar."""

from collections.abc import Mapping, Sequence
from typing import Any

from tritonrl.program.op import INTEGERS, REQUIRED, Attr, Draw
from tritonrl.program.shapes import Shape, ShapeError

KEEPDIM = Attr("keepdim", (False, True), default=False)


def wrap_dim(dim: Any, rank: int) -> int:
    """A dim counted from the front."""
    if not isinstance(dim, int):
        raise ShapeError(f"{dim!r} is not a dim")
    if not -rank <= dim < rank:
        raise ShapeError(f"dim {dim} is out of range for rank {rank}")
    return dim % rank


def dim(name: str = "dim", default: Any = REQUIRED, *, new: bool = False) -> Attr:
    """One dim of the first operand; with `new`, a place for one more."""
    extra = 1 if new else 0
    return Attr(
        name,
        lambda draw: draw.rng.randrange(draw.ranks[0] + extra),
        default,
        lambda value, shapes, _: wrap_dim(value, max(len(shapes[0]) + extra, 1)),
    )


def dims(name: str = "dim") -> Attr:
    """One dim of the first operand, or several as a tuple, ascending; None or nothing given means all."""

    def draw(context: Draw) -> int | tuple[int, ...]:
        rank = context.ranks[0]
        if rank < 3 or context.rng.random() < 0.75:
            return context.rng.randrange(rank)
        return tuple(sorted(context.rng.sample(range(rank), 2)))

    def normal(value: Any, shapes: tuple[Shape, ...], _: Mapping[str, Any]) -> int | tuple[int, ...]:
        rank = len(shapes[0])
        chosen = (value,) if isinstance(value, int) else value or range(rank)
        wrapped = tuple(sorted(wrap_dim(each, rank) for each in chosen))
        return wrapped[0] if len(wrapped) == 1 else wrapped

    return Attr(name, draw, None, normal)


def dims_to_turn(name: str = "dims") -> Attr:
    """One dim of the first operand or several, always as a tuple, ascending."""
    form = dims(name)

    def draw(context: Draw) -> tuple[int, ...]:
        drawn = form.draw(context)
        return (drawn,) if isinstance(drawn, int) else drawn

    return Attr(name, draw, normal=lambda v, shapes, _: tuple(sorted(wrap_dim(d, len(shapes[0])) for d in v)))


def per_axis(name: str, count: int, choices: Sequence[int], default: Any = REQUIRED) -> Attr:
    """A size for each of `count` axes; one number stands for all."""

    def normal(value: Any, _: tuple[Shape, ...], __: Mapping[str, Any]) -> tuple[int, ...]:
        sizes = (value,) if isinstance(value, int) else tuple(value)
        if len(sizes) not in (1, count):
            raise ShapeError(f"{name} has {len(sizes)} entries for {count} axes")
        return sizes * count if len(sizes) == 1 else sizes

    default = default if default is REQUIRED else (default,) * count
    return Attr(name, lambda draw: draw.axes(count, choices), default, normal, one_for_all)


def one_for_all(sizes: tuple[int, ...]) -> int | tuple[int, ...]:
    """One number where all axes have the same."""
    return sizes[0] if len(set(sizes)) == 1 else sizes


def whole_if_it_is(value: Any, *_: Any) -> Any:
    """2 rather than 2.0: one form of a number that may be written as either."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def scalar(name: str, floats: Sequence[float], integers: Sequence[int]) -> Attr:
    """A number of the operand's own kind, so that the element type stays."""

    def draw(context: Draw) -> float:
        return context.rng.choice(integers if context.dtypes[0] in INTEGERS else floats)

    return Attr(name, draw)
