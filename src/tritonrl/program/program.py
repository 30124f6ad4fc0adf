"""Program: a flat functional PyTorch program as a DAG, the language that every room of tritonrl speaks.

A value is a number: the inputs come first, then one value for each node, in order. A node names an operator
of the table, the values it reads and its attributes; shapes and types of all values follow from the inputs by
the table's rules and are checked when the Program is made. A Program never changes.

    {"inputs": ["float32[32,64]", "float32[64]"], "nodes": [["add", [0, 1]], ["softmax", [2], {"dim": 1}]],
    "outputs": [3]}
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tritonrl.errors import UserError
from tritonrl.program.op import ITEM_BYTES, Attrs, Op
from tritonrl.program.shapes import NUMBERS, ShapeError
from tritonrl.program.table import lookup


class ProgramError(UserError):
    """Not a program: an unknown operator, operands that do not fit, a value that does not exist."""


@dataclass(frozen=True)
class Spec:
    """Shape and element type of one value; written `float32[32,64]`."""

    shape: tuple[int, ...]
    dtype: str = "float32"

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    @property
    def num_elements(self) -> int:
        return math.prod(self.shape)

    @property
    def num_bytes(self) -> int:
        return self.num_elements * ITEM_BYTES.get(self.dtype, 16)

    @classmethod
    def parse(cls, text: str) -> "Spec":
        found = re.fullmatch(r"(\w+)\[((?:\d+(?:,\d+)*)?)\]", text)
        if not found:
            raise ProgramError(f"{text!r} is not of the form float32[32,64]")
        return cls(tuple(int(size) for size in found[2].split(",") if size), found[1])


@dataclass(frozen=True)
class Node:
    """One application of an operator."""

    op: str
    inputs: tuple[int | None, ...]
    """Values read, by slot; None where an optional operand is absent."""
    attrs: Attrs = Attrs()  # noqa: RUF009

    @property
    def row(self) -> Op:
        return lookup(self.op)

    @property
    def operands(self) -> tuple[int, ...]:
        """The values that are really there."""
        return tuple(value for value in self.inputs if value is not None)

    def renumbered(self, new: Mapping[int, int]) -> "Node":
        """The same node where values have other numbers."""
        return Node(
            self.op, tuple(None if value is None else new[value] for value in self.inputs), self.attrs
        )


@dataclass(frozen=True)
class Program:
    """Inputs, nodes in an order in which they can run, and the values returned."""

    inputs: tuple[Spec, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]
    values: tuple[Spec, ...] = ()
    """Shape and type of every value; derived, never given."""

    def __post_init__(self) -> None:
        values = list(self.inputs)
        nodes = []
        for position, node in enumerate(self.nodes):
            try:
                attrs, spec = infer(node, values)
            except ShapeError as error:
                raise ProgramError(f"node {position} ({node.op}): {error}") from error
            nodes.append(node if node.attrs == attrs else Node(node.op, node.inputs, attrs))
            values.append(spec)
        unknown = [value for value in self.outputs if not 0 <= value < len(values)]
        if unknown:
            raise ProgramError(f"output {unknown[0]} is no value of this program")
        object.__setattr__(self, "nodes", tuple(nodes))
        object.__setattr__(self, "values", tuple(values))

    # What it holds

    def value_of(self, position: int) -> int:
        """The value that node number `position` computes."""
        return len(self.inputs) + position

    def node_of(self, value: int) -> Node | None:
        """The node that computes a value; None for an input."""
        return None if value < len(self.inputs) else self.nodes[value - len(self.inputs)]

    @property
    def ops(self) -> tuple[str, ...]:
        """Names of the compute operators, in order."""
        return tuple(node.op for node in self.nodes if not node.row.is_view)

    @property
    def level(self) -> int:
        """Difficulty: the number of compute operators; views do not count."""
        return len(self.ops)

    @cached_property
    def users(self) -> tuple[tuple[int, ...], ...]:
        """For each value the positions of the nodes that read it."""
        readers: list[list[int]] = [[] for _ in self.values]
        for position, node in enumerate(self.nodes):
            for value in dict.fromkeys(node.operands):
                readers[value].append(position)
        return tuple(tuple(each) for each in readers)

    # What it costs

    def node_flops(self, position: int) -> int:
        node, out, shapes = self._call(position)
        return sum(
            c * math.prod(dims) for c, dims in node.row.flop_products(NUMBERS, node.attrs, out, shapes)
        )

    def node_terms(self, position: int) -> int:
        """How many terms one output element of the node accumulates."""
        node, out, shapes = self._call(position)
        return math.prod(node.row.terms(NUMBERS, node.attrs, out, *shapes))

    def node_bytes(self, position: int) -> int:
        """Bytes that the operator reads and writes when it runs alone; a view moves none."""
        node = self.nodes[position]
        if node.row.is_view:
            return 0
        touched = [*dict.fromkeys(node.operands), self.value_of(position)]
        return sum(self.values[value].num_bytes for value in touched)

    def _call(self, position: int) -> tuple[Node, tuple[int, ...], list[tuple[int, ...] | None]]:
        """A node with the shapes of its output and of its operands."""
        node = self.nodes[position]
        shapes = [None if value is None else self.values[value].shape for value in node.inputs]
        return node, self.values[self.value_of(position)].shape, shapes

    @cached_property
    def flops(self) -> int:
        return sum(self.node_flops(position) for position in range(len(self.nodes)))

    @cached_property
    def bytes(self) -> int:
        """Traffic of running one operator at a time."""
        return sum(self.node_bytes(position) for position in range(len(self.nodes)))

    @cached_property
    def fused_bytes(self) -> int:
        """Traffic of a perfect fusion: every input read once, every output written once."""
        read = {value for node in self.nodes for value in node.operands if value < len(self.inputs)}
        return sum(self.values[value].num_bytes for value in read | set(self.outputs))

    @cached_property
    def live_ranges(self) -> tuple[tuple[int, int], ...]:
        """For each value (born, last read) as node positions; inputs from -1, outputs to the end."""
        ranges = []
        for value, readers in enumerate(self.users):
            born = value - len(self.inputs) if value >= len(self.inputs) else -1
            last = len(self.nodes) if value in self.outputs else max(readers, default=born)
            ranges.append((born, last))
        return tuple(ranges)

    # Identity

    @cached_property
    def structure_id(self) -> str:
        """Operators and wiring only; the same for all shapes, types, attributes, names and orders."""
        from tritonrl.program.canonical import structure_id

        return structure_id(self)

    @cached_property
    def program_id(self) -> str:
        """Operators, wiring, shapes, types and attributes; the same for all names and orders."""
        from tritonrl.program.canonical import program_id

        return program_id(self)

    # JSON

    def to_json(self) -> dict[str, Any]:
        """A compact document: attributes at their defaults are left out, derived shapes too."""
        nodes = []
        for node in self.nodes:
            stated = {key: _to_text(value) for key, value in node.row.stated(node.attrs).items()}
            nodes.append([node.op, list(node.inputs), stated] if stated else [node.op, list(node.inputs)])
        return {"inputs": [str(spec) for spec in self.inputs], "nodes": nodes, "outputs": list(self.outputs)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | str) -> "Program":
        """The Program of a document; anything malformed is a `ProgramError` that says where."""
        if isinstance(document, str):
            try:
                document = json.loads(document)
            except json.JSONDecodeError as error:
                raise ProgramError(f"not valid JSON: {error.msg}") from error
        if not isinstance(document, Mapping) or set(document) != {"inputs", "nodes", "outputs"}:
            raise ProgramError("a program has exactly the keys inputs, nodes and outputs")
        try:
            inputs = tuple(Spec.parse(text) for text in document["inputs"])
            nodes = tuple(_parse_node(position, each) for position, each in enumerate(document["nodes"]))
            return cls(inputs, nodes, tuple(int(value) for value in document["outputs"]))
        except (TypeError, ValueError) as error:
            raise ProgramError(f"malformed program: {error}") from error


def assembled(
    specs: Sequence[Spec], nodes: Mapping[int, Node], last: Sequence[int] = (), returned: Sequence[int] = ()
) -> Program:
    """A program of values in the order of their making, inputs between results: each is an input or has its
    node. The inputs `last` come after the others. What no node reads is an output, after those `returned`."""
    inputs = [value for value in range(len(specs)) if value not in nodes and value not in last]
    inputs += last
    new = {old: place for place, old in enumerate((*inputs, *nodes))}
    read = {operand for node in nodes.values() for operand in node.operands}
    outputs = dict.fromkeys([*returned, *(value for value in nodes if value not in read)])
    return Program(
        tuple(specs[value] for value in inputs),
        tuple(node.renumbered(new) for node in nodes.values()),
        tuple(new[value] for value in outputs),
    )


def infer(node: Node, values: Sequence[Spec]) -> tuple[Attrs, Spec]:
    for value in node.operands:
        if not 0 <= value < len(values):
            raise ShapeError(f"reads value {value}, which is not computed yet")
    row = node.row
    specs = [None if value is None else values[value] for value in node.inputs]
    shapes = tuple(spec.shape if spec else None for spec in specs)
    attrs = row.normalise(node.attrs, shapes)
    shape = row.infer_shape(attrs, shapes)
    dtype = row.infer_dtype(attrs, [spec.dtype for spec in specs if spec])
    return attrs, Spec(shape, dtype)


def _parse_node(position: int, entry: Iterable[Any]) -> Node:
    op, inputs, *rest = entry
    if len(rest) > 1 or not all(value is None or isinstance(value, int) for value in inputs):
        raise ProgramError(f"node {position} is not [operator, [values], attributes]")
    attrs = {key: _from_text(value) for key, value in (rest[0] if rest else {}).items()}
    return Node(op, tuple(inputs), Attrs(attrs))


NOT_FINITE = ("inf", "-inf", "nan")
"""Numbers that JSON has no word for: they are written as text."""


def _to_text(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _from_text(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return float(value) if isinstance(value, str) and value in NOT_FINITE else value
