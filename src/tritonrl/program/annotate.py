"""Annotate: the task file of a program in which every value says how large it is, and where it reads another.

    tensor_5 = F.relu(tensor_4)  # (32, 32, 16, 7, 26), strides 93184, 2912, 182, size 2981888
    tensor_2 = torch.add(tensor_0, tensor_1)  # (8, 3, 5), strides 15, size 120, tensor_1 by 0, 1, 0
    tensor_1 = torch.permute(tensor_0, (1, 0))  # (5, 3), size 15, tensor_0 by 1, 5

A model that copies and does not multiply finds every number of a kernel in it: shape, strides of a contiguous
tensor, and number of elements. What a shape says itself is left out: the strides of the last two dims, the
size of a vector, and the type float32. `by` are the strides of an operand along the dims of the result, where
it is broadcast or its dims are in another order: 0 where it stays where it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tritonrl.program.emit import emit, variable
from tritonrl.program.ops.arithmetic import broadcast
from tritonrl.program.program import Node, Program, Spec
from tritonrl.program.shapes import contiguous

Strides = Sequence[int]


def annotated(program: Program) -> str:
    """`emit(program)` with a comment for every value; it is a task file as well."""
    value, lines = 0, []
    for line in emit(program).splitlines():
        if line.startswith(("        ", "    tensor_")):  # an input, or an operator: one a line, in order
            line += f"  # {_comment(program, value)}"
            value += 1
        lines.append(line)
    assert value == len(program.values)
    return "\n".join([*lines, ""])


def described(spec: Spec) -> str:
    """Type, shape, strides and size, as far as they are not plain to see."""
    dtype = "" if spec.dtype == "float32" else f"{spec.dtype} "
    rank = len(spec.shape)
    more = f", strides {', '.join(map(str, contiguous(spec.shape)[:-2]))}" if rank > 2 else ""
    return f"{dtype}{spec.shape}{more}" + (f", size {spec.num_elements}" if rank > 1 else "")


def _comment(program: Program, value: int) -> str:
    spec, node = program.values[value], program.node_of(value)
    if node is None:
        return f"{variable(value)} {described(spec)}"
    reads = _reads(program, node, spec.shape)
    return ", ".join([described(spec), *(f"{variable(x)} by {', '.join(map(str, by))}" for x, by in reads)])


def _reads(program: Program, node: Node, made: Sequence[int]) -> Iterator[tuple[int, Strides]]:
    """The operands that are read elsewhere than where the result is, each once, and by which strides."""
    is_broadcast = node.row.shape is broadcast or node.op == "expand"
    for operand in dict.fromkeys(node.operands):
        shape = program.values[operand].shape
        if node.op not in ORDERS and (not is_broadcast or shape == made):
            continue
        strides = [by if size > 1 else 0 for by, size in zip(contiguous(shape), shape, strict=True)]
        if is_broadcast:
            yield operand, [0] * (len(made) - len(shape)) + strides
        else:
            yield operand, ORDERS[node.op](node.attrs, strides)


def _transposed(attrs: Mapping[str, Any], strides: Strides) -> Strides:
    swapped, first, second = list(strides), attrs["dim0"], attrs["dim1"]
    swapped[first], swapped[second] = strides[second], strides[first]
    return swapped


ORDERS: Mapping[str, Callable[[Mapping[str, Any], Strides], Strides]] = {
    "transpose": _transposed,
    "permute": lambda attrs, strides: [strides[dim] for dim in attrs["dims"]],
    "unsqueeze": lambda attrs, strides: [*strides[: attrs["dim"]], 0, *strides[attrs["dim"] :]],
    "squeeze": lambda attrs, strides: [by for dim, by in enumerate(strides) if dim not in attrs["dim"]],
}
"""Views that give dims another order or number."""
