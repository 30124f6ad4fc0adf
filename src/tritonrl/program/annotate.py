"""Annotate: the task file of a program in which every value says how large it is.

    tensor_5 = F.relu(tensor_4)  # (32, 32, 16, 7, 26), strides 93184, 2912, 182, size 2981888

A model that copies and does not multiply finds every number of a kernel in it: shape, strides of a contiguous
tensor, and number of elements. What a shape says itself is left out: the strides of the last two dims, the
size of a vector, and the type float32.
"""

from tritonrl.program.emit import emit, variable
from tritonrl.program.program import Program, Spec


def annotated(program: Program) -> str:
    """`emit(program)` with a comment for every value; it is a task file as well."""
    value, lines = 0, []
    for line in emit(program).splitlines():
        if line.startswith(("        ", "    tensor_")):  # an input, or an operator: one a line, in order
            name = f"{variable(value)} " if value < len(program.inputs) else ""
            line += f"  # {name}{described(program.values[value])}"
            value += 1
        lines.append(line)
    assert value == len(program.values)
    return "\n".join([*lines, ""])


def described(spec: Spec) -> str:
    """Type, shape, strides and size, as far as they are not plain to see."""
    dtype = "" if spec.dtype == "float32" else f"{spec.dtype} "
    rank = len(spec.shape)
    strides = [Spec(spec.shape[place + 1 :]).num_elements for place in range(rank - 2)]
    more = f", strides {', '.join(map(str, strides))}" if strides else ""
    return f"{dtype}{spec.shape}{more}" + (f", size {spec.num_elements}" if rank > 1 else "")
