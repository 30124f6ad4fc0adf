"""Spelling out: what a program says in one node and kernels do in two, as two nodes."""

from typing import Any

from tritonrl.program import Program
from tritonrl.program.op import Attrs
from tritonrl.program.program import Node

ROW_LOSSES = ("cross_entropy", "soft_cross_entropy", "triplet_margin_loss")
"""Losses of a row each: their mean or sum over rows is a reduction of its own."""
PRODUCTS = ("linear", "matmul", "bmm")
"""Of one column they are sums over rows: tiles took 460 µs for a linear layer of 4096 to 1, where memory asks
for 64."""


def spelled_out(program: Program) -> Program:
    """A program that computes the same, with the same inputs and outputs."""
    numbers = {value: value for value in range(len(program.inputs))}
    nodes: list[Node] = []

    def add(op: str, inputs: tuple[int | None, ...], **attrs: Any) -> int:
        nodes.append(Node(op, inputs, Attrs(attrs)))
        return len(program.inputs) + len(nodes) - 1

    def rank(value: int) -> int:
        return len(Program(program.inputs, tuple(nodes), (value,)).values[value].shape)

    for place, node in enumerate(program.nodes, start=len(program.inputs)):
        made, reduction = node.renumbered(numbers), node.attrs.get("reduction", "none")
        if node.op in ROW_LOSSES and reduction != "none":
            of_rows = add(node.op, made.inputs, **{**node.attrs, "reduction": "none"})
            dims = tuple(range(rank(of_rows)))
            numbers[place] = add(reduction, (of_rows,), dim=dims, keepdim=False) if dims else of_rows
        elif node.op in PRODUCTS and _is_one_column(program, place, node):
            x, y, *bias = made.operands
            if node.op != "linear":
                y = add("transpose", (y,), dim0=rank(y) - 2, dim1=rank(y) - 1)
            product = add("mul", (x, y))
            total = add("sum", (product,), dim=(rank(product) - 1,), keepdim=True)
            numbers[place] = add("add", (total, *bias)) if bias else total
        else:
            numbers[place] = add(node.op, made.inputs, **node.attrs)
    return Program(program.inputs, tuple(nodes), tuple(numbers[value] for value in program.outputs))


def _is_one_column(program: Program, value: int, node: Node) -> bool:
    """Whether a product comes to one number a row; a tile would have fifteen columns of nothing beside it."""
    factors = [program.values[each].shape for each in node.operands[:2]]
    return program.values[value].shape[-1:] == (1,) and min(map(len, factors)) > 1
