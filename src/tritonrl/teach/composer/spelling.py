"""Spelling out: what a program says in one node and kernels do in two, as two nodes."""

from tritonrl.program import Program
from tritonrl.program.op import Attrs
from tritonrl.program.program import Node

ROW_LOSSES = ("cross_entropy", "soft_cross_entropy", "triplet_margin_loss")
"""Losses of a row each: their mean or sum over rows is a reduction of its own."""


def spelled_out(program: Program) -> Program:
    """A program that computes the same, with the same inputs and outputs."""
    numbers = {value: value for value in range(len(program.inputs))}
    nodes: list[Node] = []

    def add(node: Node) -> int:
        nodes.append(node)
        return len(program.inputs) + len(nodes) - 1

    for place, node in enumerate(program.nodes, start=len(program.inputs)):
        made, reduction = node.renumbered(numbers), node.attrs.get("reduction", "none")
        if node.op not in ROW_LOSSES or reduction == "none":
            numbers[place] = add(made)
            continue
        of_rows = add(Node(node.op, made.inputs, Attrs({**node.attrs, "reduction": "none"})))
        rank = len(Program(program.inputs, tuple(nodes), (of_rows,)).values[of_rows].shape)
        over_all = Attrs({"dim": tuple(range(rank)), "keepdim": False})
        numbers[place] = add(Node(reduction, (of_rows,), over_all)) if rank else of_rows
    return Program(program.inputs, tuple(nodes), tuple(numbers[value] for value in program.outputs))
