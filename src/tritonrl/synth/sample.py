"""Sample: draw a DAG for a given sequence of operators, then solve its shapes.

Operand by operand: data comes uniformly from the live tensors that fit (rank and type), a new tensor is made
where none is left, weights and statistics are always new. A choice that cannot work redraws the inputs, never
the operator, so operators stay uniform whatever the shapes allow. Nothing is dead: whatever no operator reads
is an output.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tritonrl.program.op import Attrs, Draw, Op, Slot
from tritonrl.program.program import Node, Program, Spec, assembled
from tritonrl.program.shapes import Dim, Shape, ShapeError
from tritonrl.program.table import lookup
from tritonrl.synth.profile import Profile
from tritonrl.synth.solve import solve
from tritonrl.synth.unknowns import Infeasible, Mark, Unknowns

NEW_RANKS = (1, 2, 2, 2, 3, 3, 3, 4, 4)
"""Ranks of new tensors where an operator takes any: mostly matrices and batches of them."""

ANY_RANK = (1, 2, 3, 4, 5)
OPERATORS_AHEAD = 3
"""How far ahead a new tensor looks for an operator that is particular about rank. Without it 29 % of the
programs of level 3 fall into unconnected parts, because a convolution finds no live tensor; with it 8 %."""

TRIES_WITH_LIVE_TENSORS = 8
TRIES_WITH_NEW_TENSORS = 100
RANK_KEEPING_VIEWS = ("permute", "slice")


@dataclass
class Value:
    """A tensor of the program in the making."""

    shape: list[Dim]
    dtype: str
    parameter: bool = False
    node: Node | None = None
    """What computes it; None for an input. Operands are numbers of values, in order of making."""


@dataclass
class Sketch:
    """A DAG whose shapes are still unknown."""

    unknowns: Unknowns
    dtype: str = "float32"
    values: list[Value] = field(default_factory=list)
    marks: list[tuple[int, Mark]] = field(default_factory=list)
    """State before each compute operator: number of values, and the mark of the unknowns."""
    ahead: list[Op] = field(default_factory=list)
    """The operators that come next."""

    def mark(self) -> None:
        self.marks.append((len(self.values), self.unknowns.mark()))

    def rewind(self, op: int) -> None:
        """Take back compute operator number `op` and all after it."""
        count, mark = self.marks[op]
        self.unknowns.undo(mark)
        del self.values[count:], self.marks[op:]

    def suspects(self) -> list[int]:
        """Compute operators that a contradiction between shapes can come from."""
        ties = [mark.ties for _, mark in self.marks] + [self.unknowns.ties]
        tied = [op for op in range(len(self.marks)) if ties[op + 1] > ties[op]]
        return tied or list(range(len(self.marks)))

    @property
    def rng(self) -> random.Random:
        return self.unknowns.rng

    def solve(self) -> Program | None:
        """The program with its shapes found; None where there are none."""
        mark = self.unknowns.mark()
        calls: list[tuple[bool, list[int]]] = []
        flops: list[tuple[int, Shape]] = []
        for number, value in enumerate(self.values):
            node = value.node
            if node is not None and not node.row.is_view:
                reads_input = any(self._is_data_input(operand) for operand in node.operands)
                calls.append((reads_input, [number, *node.operands]))
                shapes = self._shapes(node.inputs)
                flops += node.row.flop_products(self.unknowns, node.attrs, value.shape, shapes)
        parameters = [value.parameter for value in self.values]
        solved = solve(self.unknowns, [value.shape for value in self.values], parameters, calls, flops)
        self.unknowns.undo(mark)  # counting terms may have divided sizes
        return None if solved is None else self._program(solved)

    def _is_data_input(self, number: int) -> bool:
        """Whether a value is an input that can be large: neither a weight nor a vector."""
        value = self.values[number]
        return value.node is None and not value.parameter and len(value.shape) > 1

    def _program(self, shapes: Sequence[tuple[int, ...]]) -> Program:
        specs = [Spec(shape, value.dtype) for shape, value in zip(shapes, self.values, strict=True)]
        nodes = {number: value.node for number, value in enumerate(self.values) if value.node is not None}
        return assembled(specs, nodes)

    def _shapes(self, numbers: Sequence[int | None]) -> list[Shape | None]:
        return [None if number is None else self.values[number].shape for number in numbers]

    def add_input(self, rank: int, dtype: str, *, parameter: bool = False) -> int:
        self.values.append(Value(self.unknowns.tensor(rank), dtype, parameter))
        return len(self.values) - 1

    def add_node(self, op: str, inputs: Sequence[int | None], attrs: Mapping[str, Any]) -> int:
        """Apply the operator's rule; `Infeasible` where the operands cannot fit."""
        row = lookup(op)
        try:
            shape = list(row.shape(self.unknowns, attrs, *self._shapes(inputs)))
        except ShapeError as error:
            raise Infeasible from error
        if all(isinstance(self.unknowns.find(size), int) for size in shape):
            raise Infeasible  # a scalar, or a size that nothing decides
        dtype = row.infer_dtype(attrs, [self.values[number].dtype for number in inputs if number is not None])
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        self.values.append(Value(shape, dtype, node=Node(op, tuple(inputs), Attrs(attrs))))
        return len(self.values) - 1


def sketch(
    rng: random.Random, ops: Sequence[str], profile: Profile, dtype: str = "float32", views: float = 0.0
) -> Sketch:
    """A DAG of exactly these operators, in this order; `views` is the share of operands read through one."""
    drawn = Sketch(Unknowns(rng, profile), dtype)
    extend(drawn, ops, views)
    return drawn


def extend(drawn: Sketch, ops: Sequence[str], views: float = 0.0, *, apart: int = 0) -> None:
    """Place the operators of `ops` that are missing, as many of them as are to be apart on new tensors, whose
    ranks look at no other operator."""
    start = len(drawn.marks)
    for number in range(start, len(ops)):
        live = number >= start + apart
        ahead = ops[number + 1 : number + 1 + OPERATORS_AHEAD] if live else ()
        drawn.ahead = [lookup(name) for name in ahead]
        _place(drawn, lookup(ops[number]), views, live=live)


def retarget(made: Program, rng: random.Random, profile: Profile) -> Program | None:
    """The same DAG with sizes of a profile drawn anew, ones in the same places; None where it has none."""
    other = Sketch(Unknowns(rng, profile, broadcast_share=0.0))  # which sizes are 1 is known
    slots = ((node.row.slot(place), value) for node in made.nodes for place, value in enumerate(node.inputs))
    parameters = {value for slot, value in slots if slot.parameter}
    try:
        for number, spec in enumerate(made.inputs):
            unknown = other.unknowns.tensor(sum(size != 1 for size in spec.shape))
            for size in unknown:
                other.unknowns.prefer(size, 2)
            shape = [1 if size == 1 else unknown.pop() for size in spec.shape]
            other.values.append(Value(shape, spec.dtype, number in parameters))
        for node in made.nodes:
            other.add_node(node.op, node.inputs, node.attrs)
    except Infeasible:
        return None
    return other.solve()


def _place(drawn: Sketch, row: Op, views: float, *, live: bool) -> None:
    """Apply an operator to drawn operands; after several infeasible draws, to new ones, which always fit."""
    drawn.mark()
    for attempt in range(TRIES_WITH_LIVE_TENSORS + TRIES_WITH_NEW_TENSORS):
        try:
            return _try_to_place(drawn, row, views, live=live and attempt < TRIES_WITH_LIVE_TENSORS)
        except Infeasible:
            drawn.rewind(len(drawn.marks) - 1)
            drawn.mark()
    raise AssertionError(f"{row.name} fits no new tensors")


def _try_to_place(drawn: Sketch, row: Op, views: float, *, live: bool) -> None:
    operands = _draw_data(drawn, row, live=live)
    operands = [_through_view(drawn, number) if drawn.rng.random() < views else number for number in operands]
    attrs = _draw_attrs(drawn, row, operands)
    inputs = _with_parameters(drawn, row, operands, attrs)
    drawn.add_node(row.name, inputs, attrs)


def _draw_data(drawn: Sketch, row: Op, *, live: bool) -> list[int]:
    """Operands that carry data, drawn without replacement."""
    slots = [slot for slot in row.slots if not slot.parameter]
    if row.arity:
        slots = slots * drawn.rng.randint(*row.arity)
    chosen: list[int] = []
    for slot in slots:
        first = drawn.values[chosen[0]] if chosen else None
        fitting = [
            number
            for number, value in enumerate(drawn.values)
            if live and number not in chosen and fits(row, slot, value, first)
        ]
        chosen.append(drawn.rng.choice(fitting) if fitting else _new_data(drawn, slot, first))
    return chosen


def fits(row: Op, slot: Slot, value: Value, first: Value | None) -> bool:
    """Whether a live tensor is admissible for a slot, given the operator's first operand."""
    if value.parameter or value.dtype not in row.dtypes:
        return False
    if slot.needs and value.node is not None and slot.needs not in value.node.row.gives:
        return False
    if first and (value.dtype != first.dtype or (slot.same_rank and len(value.shape) != len(first.shape))):
        return False
    return not slot.sampled_ranks or len(value.shape) in slot.sampled_ranks


def _new_data(drawn: Sketch, slot: Slot, first: Value | None) -> int:
    if first and slot.same_rank:
        return drawn.add_input(len(first.shape), first.dtype)
    dtype = first.dtype if first else drawn.dtype
    return drawn.add_input(_new_rank(drawn, slot, vector=first is not None), dtype)


def _new_rank(drawn: Sketch, slot: Slot, *, vector: bool) -> int:
    """A rank that the slot takes and, if there is one, that the next particular operator takes as well.

    Only beside another operand is it a vector, where all programs are to be large."""
    for row in drawn.ahead:
        wanted = row.slots[0].sampled_ranks
        common = [rank for rank in slot.sampled_ranks or ANY_RANK if wanted and rank in wanted]
        if common:
            return drawn.rng.choice(common)
    large = drawn.unknowns.profile.least_traffic > 0
    return drawn.rng.choice(slot.sampled_ranks or [r for r in NEW_RANKS if r > 1 or vector or not large])


def _through_view(drawn: Sketch, number: int) -> int:
    is_vector = len(drawn.values[number].shape) == 1
    row = lookup("slice" if is_vector else drawn.rng.choice(RANK_KEEPING_VIEWS))
    return drawn.add_node(row.name, [number], _draw_attrs(drawn, row, [number]))


def _draw_attrs(drawn: Sketch, row: Op, operands: Sequence[int]) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    ranks = tuple(len(drawn.values[number].shape) for number in operands)
    dtypes = tuple(drawn.values[number].dtype for number in operands)
    for attr in row.attrs:
        attrs[attr.name] = attr.draw(Draw(drawn.rng, ranks, dtypes, attrs))
    return attrs


def _with_parameters(
    drawn: Sketch, row: Op, operands: Sequence[int], attrs: Mapping[str, Any]
) -> list[int | None]:
    """The operands with the row's weights and statistics after them, each newly made or absent."""
    inputs: list[int | None] = list(operands)
    optional = drawn.rng.random() < 0.5
    dtype = drawn.values[operands[0]].dtype
    for slot in row.slots:
        if slot.parameter:
            there = not slot.optional or (slot.given(attrs) if slot.given else optional)
            rank = slot.rank(attrs) if slot.rank else (slot.ranks or (1,))[0]
            kind = dtype if slot.indexes is None else "int64"
            inputs.append(drawn.add_input(rank, kind, parameter=True) if there else None)
    return inputs
