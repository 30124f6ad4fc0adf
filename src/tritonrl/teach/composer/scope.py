"""Scope: the body of a kernel as it is written, a line for each value that it computes.

    scope.value(7, index)   →   "tensor_7", and above it the lines that it needs

A value is loaded where it is first asked for if it lies in memory, and else computed from its operands, in
the order of the program: before it come the values that it is made of, by their numbers. Operators that only
move elements (views, transposes, slices) are no lines of their own but other places to read at, which is
done where an element is asked for, so what a kernel reads it reads once. Arithmetic is in float32.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tritonrl.program.emit import variable
from tritonrl.program.op import FLOATS
from tritonrl.program.program import Node, Program
from tritonrl.program.shapes import contiguous
from tritonrl.teach.composer.indexing import Index, aligned, bases, constant, offset, split
from tritonrl.teach.composer.numbers import negative, plus
from tritonrl.teach.composer.pointwise import expression, is_pointwise

Special = Callable[["Scope", int, Index], str | None]
"""How a kernel computes a value itself; None where it does not."""
Place = tuple[int, Index]
"""A value, and where it is asked for."""
LETTERS = ("", *"abcdefgh")
"""Of names that there are several of."""


@dataclass
class Scope:
    """One kernel's body. `stored` are the values that lie in memory."""

    program: Program
    stored: frozenset[int]
    masks: Mapping[str, str]
    """Base → the name of the mask over it."""
    special: Special = lambda scope, value, index: None
    operands: Callable[[int], Iterable[Place]] = lambda value: ()
    """Where what it computes itself reads its operands, as far as that is known beforehand."""
    indent: str = "    "
    lines: list[str] = field(default_factory=list)
    loaded: list[int] = field(default_factory=list)
    """Values that are read from memory, in the order in which they come up."""
    places: list[Place] = field(default_factory=list)
    """And where each is read."""
    condition: str = ""
    """Under which what follows is read at all."""
    _names: dict[tuple[int, Index, str], str] = field(default_factory=dict)
    _counts: dict[tuple[int, str], str] = field(default_factory=dict)
    """By a value and an expression of where in it, the base of that name."""

    def value(self, value: int, index: Index) -> str:
        """The name of a value at this index."""
        key = (value, index, self.condition)
        if key not in self._names:
            self.compute(self._operands(value, index))
            self._names[key] = self._computed(value, index)
        return self._names[key]

    def compute(self, places: Iterable[Place] = (), outputs: Iterable[Place] = ()) -> None:
        """These values and what they are made of, by their numbers, with the outputs. What lies in memory and
        what a view moves waits until a line asks for it."""
        waiting = [*outputs, *places]
        found: dict[Place, None] = {}
        while waiting:
            value, index = place = waiting.pop()
            node = None if value in self.stored else self.program.node_of(value)
            known = place in found or (*place, self.condition) in self._names
            if node is not None and node.op not in VIEWS and not known:
                found[place] = None
                waiting += self._operands(value, index)
        for value, index in sorted([*found, *outputs], key=lambda place: place[0]):
            self.value(value, index)

    @contextlib.contextmanager
    def loop(self) -> Iterator[None]:
        """Lines of a loop: what they compute is not known after it, for Triton keeps no name of it."""
        before = self.indent, self.masks, dict(self._names), dict(self._counts)
        yield
        self.indent, self.masks, self._names, self._counts = before

    def line(self, text: str) -> None:
        self.lines.append(f"{self.indent}{text}")

    def comment(self, text: str) -> None:
        self.line(f"# {text}")

    def named(self, value: int, text: str) -> str:
        """A line that computes a value; gives its name, after its operator. What has one is called by it."""
        if text.isidentifier():
            return text
        node = None if value in self.stored else self.program.node_of(value)
        taken = sum(1 for known, *_ in self._names if known == value)
        name = (f"{node.op}_{value}" if node else variable(value)) + LETTERS[taken]
        self.line(f"{name} = {text}")
        return name

    def counted(self, value: int, place: str) -> str:
        """The name of a base that counts along a value, a line of its own for each place in it."""
        if (value, place) not in self._counts:
            taken = sum(1 for known, _ in self._counts if known == value)
            name = self._counts[value, place] = f"place_{value}{LETTERS[taken]}"
            self.line(f"{name} = {place}")
        return self._counts[value, place]

    def mask(self, index: Index) -> str:
        """What keeps a read at this index within the tensor; empty where nothing needs to."""
        parts = dict.fromkeys(self.masks[base] for base in self.masks if base in bases(index))
        return " & ".join([*parts, *([self.condition] if self.condition else [])])

    def _computed(self, value: int, index: Index) -> str:
        if value in self.stored:
            return self._load(value, index)
        if (made := self.special(self, value, index)) is not None:
            return made
        node = self.program.node_of(value)
        assert node is not None
        if node.op in MOVES:
            return MOVES[node.op](self, value, index)
        slots = (slot for slot, each in zip(node.row.slots, node.inputs, strict=False) if each is not None)
        names = {
            slot.name: self.value(*place)
            for slot, place in zip(slots, self._operands(value, index), strict=True)
        }
        text = expression(node, names) if is_pointwise(node) else channelwise(node, names)
        return self.named(value, text)

    def _operands(self, value: int, index: Index) -> list[Place]:
        """Where a value reads its operands: those of single elements at its own."""
        node = None if value in self.stored else self.program.node_of(value)
        if node is None:
            return []
        if node.op in MOVES:
            return [(node.operands[0], index)] if node.op in TRIANGLES else []
        if is_pointwise(node):
            return [(each, aligned(index, self.program.values[each].shape)) for each in node.operands]
        if node.op == "batch_norm" and not node.attrs["training"]:
            return [(node.operands[0], index), *((each, index[1:2]) for each in node.operands[1:])]
        return [*self.operands(value)]

    def reads(self, *values: int) -> None:
        """These lie in memory, and the kernel is given where."""
        self.loaded += [value for value in dict.fromkeys(values) if value not in self.loaded]

    def store(self, places: Mapping[int, Index]) -> None:
        """Compute these values, each at its index, and write them."""
        self.compute(outputs=places.items())
        self.comment("Write.")
        for value, index in places.items():
            place, mask = offset(index, contiguous(self.program.values[value].shape)), self.mask(index)
            where = f"{variable(value)}_ptr" + (f" + {place}" if place != "0" else "")
            self.line(f"tl.store({where}, {self.value(value, index)}{f', mask={mask}' if mask else ''})")

    def _load(self, value: int, index: Index) -> str:
        self.reads(value)
        self.places.append((value, index))
        spec = self.program.values[value]
        where, mask = offset(index, contiguous(spec.shape)), self.mask(index)
        place = f"{variable(value)}_ptr" + (f" + {where}" if where != "0" else "")
        other = "0.0" if spec.dtype in FLOATS else "0"
        text = f"tl.load({place}, mask={mask}, other={other})" if mask else f"tl.load({place})"
        cast = ".to(tl.float32)" if spec.dtype in ("float16", "bfloat16") else ""
        return self.named(value, f"{text}{cast}")


def _view(change: Callable[[Index, dict, tuple[int, ...]], Index]) -> Callable[[Scope, int, Index], str]:
    """A view reads its operand at another index."""

    def move(scope: Scope, value: int, index: Index) -> str:
        node = scope.program.node_of(value)
        assert node is not None
        operand = node.operands[0]
        return scope.value(operand, change(index, node.attrs, scope.program.values[operand].shape))

    return move


def _transposed(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    swapped = list(index)
    swapped[attrs["dim0"]], swapped[attrs["dim1"]] = index[attrs["dim1"]], index[attrs["dim0"]]
    return tuple(swapped)


def _permuted(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    return tuple(index[attrs["dims"].index(axis)] for axis in range(len(shape)))


def _flipped(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    return tuple(
        axis.moved(-1, plus(shape[place], -1), axis.size) if axis and place in attrs["dims"] else axis
        for place, axis in enumerate(index)
    )


def _squeezed(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    rest = iter(index)
    return tuple(None if axis in attrs["dim"] else next(rest) for axis in range(len(shape)))


def _unsqueezed(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    return (*index[: attrs["dim"]], *index[attrs["dim"] + 1 :])


def _selected(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    return (*index[: attrs["dim"]], constant(attrs["index"]), *index[attrs["dim"] :])


def _sliced(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    dim, start, step = attrs["dim"], attrs["start"], attrs["step"]
    axis = index[dim]
    moved = axis.moved(step, start, axis.size) if axis else constant(start)
    return (*index[:dim], moved, *index[dim + 1 :])


def _expanded(index: Index, attrs: dict, shape: tuple[int, ...]) -> Index:
    return aligned(index, shape)


def _reshape(scope: Scope, value: int, index: Index) -> str:
    """The same place in memory, counted along other dims."""
    node = scope.program.node_of(value)
    assert node is not None
    shape = scope.program.values[node.operands[0]].shape
    name = scope.counted(value, offset(index, contiguous(scope.program.values[value].shape)))
    held = [scope.masks[base] for base in scope.masks if base in bases(index)]
    if held:
        scope.masks = {**scope.masks, name: " & ".join(held)}
    return scope.value(node.operands[0], split(name, shape))


def channelwise(node: Node, names: Mapping[str, str]) -> str:
    """Batch normalisation by known statistics: a scale and a shift a channel."""
    text = "({x} - {running_mean}) * tl.rsqrt({running_var} + {eps})".format(eps=node.attrs["eps"], **names)
    text += f" * {names['weight']}" if "weight" in names else ""
    return text + (f" + {names['bias']}" if "bias" in names else "")


def _triangle(keeps: str) -> Callable[[Scope, int, Index], str]:
    def move(scope: Scope, value: int, index: Index) -> str:
        node = scope.program.node_of(value)
        assert node is not None
        i, j = (str(axis) if axis else "0" for axis in index[-2:])
        shift = f" + {node.attrs['diagonal']}" if node.attrs["diagonal"] else ""
        inner = scope.value(node.operands[0], index)
        return scope.named(value, f"tl.where({j} {keeps} {i}{shift}, {inner}, 0.0)")

    return move


def _joined(scope: Scope, value: int, index: Index, dim: int, starts: list[tuple[int, int, Index]]) -> str:
    """One of several operands, by where the index is along a dim."""
    axis = index[dim]
    if axis is None:
        return scope.value(starts[0][0], starts[0][2])
    before, pieces = scope.condition, []
    for place, (operand, start, inner) in enumerate(starts):
        last = place + 1 == len(starts)
        test = f"({axis} >= {start})" if last else f"({axis} < {starts[place + 1][1]})"
        if 0 < place < len(starts) - 1:
            test = f"({axis} >= {start}) & {test}"
        scope.condition = f"{before} & {test}" if before else test
        pieces.append((test, scope.value(operand, inner)))
        scope.condition = before
    chosen = pieces[-1][1]
    for test, name in reversed(pieces[:-1]):
        chosen = f"tl.where({test}, {name}, {chosen})"
    return scope.named(value, chosen)


def _cat(scope: Scope, value: int, index: Index) -> str:
    node = scope.program.node_of(value)
    assert node is not None
    dim, start, starts = node.attrs["dim"], 0, []
    for operand in node.operands:
        size = scope.program.values[operand].shape[dim]
        axis = index[dim]
        moved = None if axis is None or size == 1 else axis.moved(1, negative(start), axis.size)
        starts.append((operand, start, (*index[:dim], moved, *index[dim + 1 :])))
        start = plus(start, size)
    return _joined(scope, value, index, dim, starts)


def _stack(scope: Scope, value: int, index: Index) -> str:
    node = scope.program.node_of(value)
    assert node is not None
    dim = node.attrs["dim"]
    inner = (*index[:dim], *index[dim + 1 :])
    return _joined(scope, value, index, dim, [(each, n, inner) for n, each in enumerate(node.operands)])


VIEWS: dict[str, Callable[[Scope, int, Index], str]] = {
    "transpose": _view(_transposed),
    "flip": _view(_flipped),
    "squeeze": _view(_squeezed),
    "unsqueeze": _view(_unsqueezed),
    "select": _view(_selected),
    "slice": _view(_sliced),
    "expand": _view(_expanded),
    "reshape": _reshape,
    "permute": _view(_permuted),
}
"""Operators whose elements are those of their operand, in other places."""
TRIANGLES = {"triu": _triangle(">="), "tril": _triangle("<=")}
"""Operators that keep elements where they are, or have 0 there."""
MOVES: dict[str, Callable[[Scope, int, Index], str]] = {
    **VIEWS,
    **TRIANGLES,
    "cat": _cat,
    "stack": _stack,
}
"""Operators that move elements and compute nothing."""
