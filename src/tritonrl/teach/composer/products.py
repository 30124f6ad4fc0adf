"""Products: matmul, linear, bmm and convolutions as one thing, a sum over an inner index of two factors.

The output falls into rows and columns (and batches), the sum goes over `inner`; what differs is where the
factors lie. A convolution is the product of the windows of its input, a row a place of the output, and of its
filters, a column each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tritonrl.program.program import Node, Program
from tritonrl.program.shapes import contiguous
from tritonrl.teach.composer.indexing import Axis, Index, aligned, counted, offset, split
from tritonrl.teach.composer.numbers import atom, extent, quotient, times


@dataclass(frozen=True)
class Factor:
    """One of the two: where an element is, and when it is there at all."""

    value: int
    offset: str
    index: Index = ()
    """The same by dims, for what the kernel computes itself; empty where it does not."""
    condition: str = ""
    """Beside the bounds of rows, columns and inner index: inside the padding there is nothing."""
    lines: tuple[str, ...] = ()
    """What must stand before."""


@dataclass(frozen=True)
class Taps:
    """The inner index with taps first, all channels of one and then of the next: where a row's tap falls is
    the same for all its channels."""

    count: int
    channels: int
    left: Callable[[str, str], Factor]
    """Read at `row`, and at a channel and a tap by their names."""
    filters: Factor
    """The element `at` of the right factor, where that is laid out by batch, tap, channel and column."""


@dataclass(frozen=True)
class Product:
    """Sizes, and the two factors by the names of the inner index that each is read with."""

    batches: int
    rows: int
    columns: int
    inner: int
    left: Callable[[str], Factor]
    """Read at `row` and the inner index named."""
    right: Callable[[str], Factor]
    """Read at the inner index named and `col`."""
    index: Index
    """Of the output, by `batch`, `row` and `col`."""
    bias: int | None = None
    bias_index: Index = field(default=())
    lines: tuple[str, ...] = ()
    """Say further bases of the index, where those are known."""
    bounds: Mapping[str, str] = field(default_factory=dict)
    """Base → the name of a mask over it that `lines` say."""
    taps: Taps | None = None
    """Where the columns of the right factor do not lie beside each other."""


def product(program: Program, value: int | None) -> Product | None:
    """The product that computes a value; None for another operator, and for no value."""
    node = program.node_of(value) if value is not None else None
    if node is None or value is None:
        return None
    if node.op in ("matmul", "bmm"):
        return _matmul(program, node)
    if node.op == "linear":
        return _linear(program, node)
    if node.op.startswith("conv"):
        return _convolution(program, node, value, transposed="transpose" in node.op)
    return None


def _axis(base: str, size: int) -> Axis:
    return Axis(base, size, 1, size)


def _rows(shape: tuple[int, ...], dims: Sequence[int]) -> Index:
    """The index along dims that rows count. Where there is one row it is named all the same: a tile has more,
    and all but that one are masked."""
    index = split("row", shape, dims)
    return index if any(index) or not index else (*index[:-1], _axis("row", 1))


def _matmul(program: Program, node: Node) -> Product | None:
    x, y = node.operands
    left, right = program.values[x].shape, program.values[y].shape
    if len(left) < 2 or len(right) < 2:
        return None
    if len(right) <= len(left) and extent(right[:-2]) == 1:
        return _matmul_of_rows(x, y, left, right)
    rank = max(len(left), len(right)) - 2
    padded = [(1,) * (rank + 2 - len(shape)) + shape for shape in (left, right)]
    batch = tuple(max(a, b) for a, b in zip(padded[0][:-2], padded[1][:-2], strict=True))
    rows, inner, columns = left[-2], left[-1], right[-1]
    outer = split("batch", (*batch, rows, columns), range(rank))

    def factor(operand: int, shape: tuple[int, ...], first: Axis | None, second: Axis | None) -> Factor:
        index = (*aligned(outer, shape[:-2]), first, second)
        return Factor(operand, offset(index, contiguous(shape)), index)

    return Product(
        extent((*batch, rows, columns), range(rank)), rows, columns, inner,
        lambda k: factor(x, left, _axis("row", rows), _axis(k, inner)),
        lambda k: factor(y, right, _axis(k, inner), _axis("col", columns)),
        (*outer, _axis("row", rows), _axis("col", columns)),
    )  # fmt: skip


def _matmul_of_rows(x: int, y: int, left: tuple[int, ...], right: tuple[int, ...]) -> Product:
    """One matrix for all batches: their rows are those of one product."""
    inner, columns = right[-2:]
    places, none = range(len(left) - 1), (None,) * (len(right) - 2)
    rows, row, col = extent(left, places), _rows(left, places), _axis("col", columns)
    return Product(
        1, rows, columns, inner,
        lambda k: Factor(
            x, offset((_axis("row", rows), _axis(k, inner)), (inner, 1)), (*row, _axis(k, inner))
        ),
        lambda k: Factor(
            y, offset((_axis(k, inner), col), (columns, 1)), (*none, _axis(k, inner), col)
        ),
        (*row, col),
    )  # fmt: skip


def _linear(program: Program, node: Node) -> Product:
    x, weight, *bias = node.operands
    shape, (columns, inner) = program.values[x].shape, program.values[weight].shape
    places = range(len(shape) - 1)
    rows, row = extent(shape, places), _rows(shape, places)
    col, lines, bounds = _axis("col", columns), (), {}
    index = (*row, col)
    if not row:
        # A vector has no dim that its only row could be seen in.
        lines = ("place = row + col", f"inside = (row < 1) & (col < {columns})")
        index, bounds = (_axis("place", columns),), {"place": "inside"}

    def left(k: str, tap: str = "") -> Factor:
        along = _axis(k, inner)
        return Factor(x, offset((_axis("row", rows), along), (inner, 1)), (*row, along))

    below, beside = counted("at", (inner, columns))
    filters = Factor(weight, offset((beside, below), (inner, 1)))
    return Product(
        1, rows, columns, inner, left,
        lambda k: Factor(weight, offset((col, _axis(k, inner)), (inner, 1)), (col, _axis(k, inner))),
        index, bias[0] if bias else None, (col,), lines, bounds, Taps(1, inner, left, filters),
    )  # fmt: skip


def _convolution(program: Program, node: Node, value: int, *, transposed: bool) -> Product:
    x, weight, *bias = node.operands
    out, image, filters = (program.values[each].shape for each in (value, x, weight))
    groups, taps = node.attrs["groups"], filters[2:]
    # Filters are (out channels, channels of a group, taps), or (channels, out channels of a group, taps).
    steps, spaces = contiguous(filters), (0, *range(2, len(out)))
    if transposed:
        columns, channels = filters[1], quotient(image[1], groups)
        inner = times(channels, extent(taps))
    else:
        columns, channels, inner = quotient(out[1], groups), filters[1], extent(filters[1:])
    batch = Axis("batch", groups, 1, groups) if groups > 1 else None
    places = _rows(out, spaces)

    def left(k: str) -> Factor:
        """An element of a window: which channel, and where in the image."""
        channel, *reached = split(k, (channels, *taps))
        return seen_through(program, node, places, (batch, channel), reached, k)

    def left_by_tap(k: str, tap: str) -> Factor:
        channel = _axis(k, channels) if channels > 1 else None
        return seen_through(program, node, places, (batch, channel), split(tap, taps), "seen")

    def filter_at(batch: Axis | None, channel: Axis | None, col: Axis | None, reached: Index) -> Factor:
        own = (channel, col) if transposed else (col, channel)
        return Factor(weight, offset((batch, *own, *reached), (quotient(extent(filters), groups), *steps)))

    def right(k: str) -> Factor:
        channel, *reached = split(k, (channels, *taps))
        return filter_at(batch, channel, _axis("col", columns), tuple(reached))

    channel = Axis("channel", out[1], 1, out[1]) if groups > 1 else _axis("col", out[1])
    group, *reached, below, beside = counted("at", (groups, *taps, channels, columns))
    laid_out = Taps(extent(taps), channels, left_by_tap, filter_at(group, below, beside, tuple(reached)))
    return Product(
        groups, extent(out, spaces), columns, inner, left, right,
        (places[0], channel, *places[1:]), bias[0] if bias else None, (channel,), taps=laid_out,
    )  # fmt: skip


def seen_through(
    program: Program, node: Node, places: Index, channel: Index, taps: Sequence[Axis | None], name: str
) -> Factor:
    """The element of the image that an output at `places` (batch, then space) sees through these taps, in a
    channel by its group and its number there."""
    x = node.operands[0]
    image = program.values[x].shape
    spaces = contiguous(image)
    lines, conditions, terms = [], [], []
    for axis, tap in enumerate(taps):
        at, tests = _position(node, axis, places[axis + 1], tap, f"{name}_{axis}")
        lines += at
        conditions += [*tests, f"({name}_{axis} >= 0)", f"({name}_{axis} < {image[axis + 2]})"]
        step = spaces[axis + 2]
        terms.append(f"{name}_{axis}" if step == 1 else f"{name}_{axis} * {step}")
    start = offset((places[0], *channel), (spaces[0], quotient(spaces[0], node.attrs["groups"]), spaces[1]))
    where = " + ".join([*([start] if start != "0" else []), *terms])
    return Factor(x, where, (), " & ".join(conditions), tuple(lines))


def _position(
    node: Node, axis: int, place: Axis | None, tap: Axis | None, name: str
) -> tuple[list[str], list[str]]:
    """Where in the image a tap falls, as a line, and the tests that it falls on an element at all."""
    stride, padding, dilation = (node.attrs[each][axis] for each in ("stride", "padding", "dilation"))
    out, reach = (str(place) if place else "0"), (str(tap) if tap else "0")
    if "transpose" not in node.op:
        at = summed(scaled(out, stride), scaled(reach, dilation), -padding)
        return [f"{name} = {at}"], []
    back = scaled(reach, dilation) if dilation > 1 else atom(reach)
    at = summed(out, f"-{back}" if reach != "0" else "0", padding)
    if stride == 1:
        return [f"{name} = {at}"], []
    # Only every so many places of the output see this tap.
    return [f"{name}_far = {at}", f"{name} = {name}_far // {stride}"], [
        f"({name}_far >= 0)",
        f"({name}_far % {stride} == 0)",
    ]


def scaled(text: str, factor: int) -> str:
    """A multiple, as an expression."""
    return text if factor == 1 or text == "0" else f"{atom(text)} * {factor}"


def summed(*terms: str | int) -> str:
    """The sum of what is not 0."""
    text = ""
    for term in terms:
        if term in ("0", 0):
            continue
        word = str(term)
        if not text:
            text = word
        elif word.startswith("-"):
            text += f" - {word[1:]}"
        else:
            text += f" + {word}"
    return text or "0"
