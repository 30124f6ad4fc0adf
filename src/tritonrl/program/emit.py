"""Emit: a Program as a functional task file, one operator a line.

    def get_inputs():
        return [torch.randn(32, 64), torch.randn(64)]

    def fused_operator(tensor_0, tensor_1):
        tensor_2 = torch.add(tensor_0, tensor_1)
        return [tensor_2]

How an input is drawn is not stored: it follows from its type and from the slots that read it.
"""

from tritonrl.program.op import FLOATS, Slot
from tritonrl.program.program import Node, Program, Spec

DRAWS = {
    "normal": ("torch.randn({shape}{options})", "float32"),
    "positive": ("torch.rand({shape}{options}) + 0.5", "float32"),
    "unit": ("torch.rand({shape}{options})", "float32"),
    "positive unit": ("torch.rand({shape}{options}) / 2 + 0.5", "float32"),
    "integer": ("torch.randint(0, {high}, {size}{options})", "int64"),
    "boolean": ("torch.rand({shape}{options}) < 0.5", "bool"),
}
"""How values are drawn, and of which type without being asked. An integer that nothing says more about may be
an index, and 0 and 1 are indices of nearly everything."""


def emit(program: Program) -> str:
    """The task file of a program: the same program always gives the same text."""
    draws = [f"        {draw(program, value)}," for value in range(len(program.inputs))]
    function = emit_function(program)
    functional = any(line.partition(" = ")[2].startswith("F.") for line in function)
    lines = ["import torch", *(["import torch.nn.functional as F"] if functional else []), "", ""]
    lines += ["def get_inputs():", "    return [", *draws, "    ]", "", ""]
    return "\n".join([*lines, *function, ""])


def emit_function(program: Program, name: str = "fused_operator") -> list[str]:
    """The lines of the function alone."""
    arguments = ", ".join(variable(value) for value in range(len(program.inputs)))
    lines = [f"def {name}({arguments}):"]
    lines += [
        f"    {variable(program.value_of(p))} = {expression(program, p)}" for p in range(len(program.nodes))
    ]
    return [*lines, f"    return [{', '.join(variable(value) for value in program.outputs)}]"]


def variable(value: int) -> str:
    return f"tensor_{value}"


def expression(program: Program, position: int) -> str:
    """The right-hand side of one node's line."""
    node = program.nodes[position]
    return node.row.expression([None if v is None else variable(v) for v in node.inputs], node.attrs)


def draw(program: Program, value: int, options: str = "") -> str:
    """The expression that draws an input; `options` goes into the call (a generator, a device)."""
    spec, readers = program.inputs[value], _readers(program, value)
    template, dtype = DRAWS[_draw_kind(spec, {slot.needs for _, slot in readers})]
    if spec.dtype != dtype:
        options += f", dtype=torch.{spec.dtype}"
    shape = ", ".join(map(str, spec.shape)) or "()"
    indexed = [
        program.values[node.operands[0]].shape[slot.indexes]
        for node, slot in readers
        if slot.indexes is not None
    ]
    return template.format(shape=shape, size=repr(spec.shape), options=options, high=min(indexed, default=2))


def _draw_kind(spec: Spec, needs: set[str | None]) -> str:
    if spec.dtype == "bool":
        return "boolean"
    if spec.dtype not in FLOATS and not spec.dtype.startswith("complex"):
        return "integer"
    return " ".join(kind for kind in ("positive", "unit") if kind in needs) or "normal"


def _readers(program: Program, value: int) -> list[tuple[Node, Slot]]:
    """Who reads a value, and as which operand."""
    return [
        (program.nodes[position], program.nodes[position].row.slot(place))
        for position in program.users[value]
        for place, read in enumerate(program.nodes[position].inputs)
        if read == value
    ]
