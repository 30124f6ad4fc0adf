"""Spelling out: what a program says in one node and kernels do in two, as two nodes."""

from dataclasses import dataclass
from typing import Any

from tritonrl.program import Program
from tritonrl.program.op import Attrs
from tritonrl.program.program import Node
from tritonrl.teach.composer.numbers import Number

ROW_LOSSES = ("cross_entropy", "soft_cross_entropy", "triplet_margin_loss")
"""Losses of a row each: their mean or sum over rows is a reduction of its own."""
PRODUCTS = ("linear", "matmul", "bmm")
"""Of one column they are sums over rows: tiles took 460 µs for a linear layer of 4096 to 1, where memory asks
for 64."""


@dataclass(frozen=True)
class Spelled(Program):
    """Values that are in no program have a word in their names: `tensor_2_rows`. All others keep theirs."""

    names: tuple[str, ...] = ()

    def value_of(self, position: int) -> int:
        return Number(super().value_of(position), self.names[position])


def spelled_out(program: Program) -> Program:
    """A program that computes the same, with the same inputs and outputs."""
    numbers = {value: value for value in range(len(program.inputs))}
    nodes: list[Node] = []
    names: list[str] = []

    def add(name: str, op: str, inputs: tuple[int | None, ...], **attrs: Any) -> int:
        nodes.append(Node(op, inputs, Attrs(attrs)))
        names.append(name)
        return Number(len(program.inputs) + len(nodes) - 1, name)

    def rank(value: int) -> int:
        return len(Program(program.inputs, tuple(nodes), (value,)).values[value].shape)

    for place, node in enumerate(program.nodes, start=len(program.inputs)):
        made, reduction = node.renumbered(numbers), node.attrs.get("reduction", "none")
        name = str(place)
        if node.op in ROW_LOSSES and reduction != "none":
            dims = tuple(range(len(program.values[node.operands[0]].shape) - 1))
            numbers[place] = of_rows = add(
                f"{name}_rows" if dims else name, node.op, made.inputs, **{**node.attrs, "reduction": "none"}
            )
            if dims:
                numbers[place] = add(name, reduction, (of_rows,), dim=dims, keepdim=False)
        elif node.op in PRODUCTS and _is_one_column(program, place, node):
            x, y, *bias = made.operands
            if node.op != "linear":
                y = add(f"{name}_turned", "transpose", (y,), dim0=rank(y) - 2, dim1=rank(y) - 1)
            product = add(f"{name}_terms", "mul", (x, y))
            dims, total = (rank(product) - 1,), f"{name}_sum" if bias else name
            numbers[place] = add(total, "sum", (product,), dim=dims, keepdim=True)
            if bias:
                numbers[place] = add(name, "add", (numbers[place], *bias))
        else:
            numbers[place] = add(name, node.op, made.inputs, **node.attrs)
    if tuple(nodes) == program.nodes:
        return program
    outputs = tuple(numbers[value] for value in program.outputs)
    return Spelled(program.inputs, tuple(nodes), outputs, names=tuple(names))


def _is_one_column(program: Program, value: int, node: Node) -> bool:
    """Whether a product comes to one number a row; a tile would have fifteen columns of nothing beside it."""
    factors = [program.values[each].shape for each in node.operands[:2]]
    return program.values[value].shape[-1:] == (1,) and min(map(len, factors)) > 1
