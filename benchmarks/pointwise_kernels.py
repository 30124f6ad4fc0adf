"""Honest Triton kernels for programs of pointwise operators: candidates in any number, for benchmarks.

    for made in programs((1, 2, 3), count=12, seed=0, profile="cpu"):
        task, candidate = as_task(made), write(made, block=256)

An output is computed by one kernel over its flat elements. Every operand is broadcast to the output's shape,
so an input's offset follows from the output's by divisions and remainders; shapes are written into the text.
"""

import itertools
import math
from collections.abc import Sequence

from tritonrl.errors import UnknownNameError
from tritonrl.program import Program, emit
from tritonrl.program.emit import variable
from tritonrl.program.op import literal
from tritonrl.synth import Config, program
from tritonrl.tasks import Task

TRITON = {
    "add": "{x} + {y}",
    "mul": "{x} * {y}",
    "sub": "{x} - {y}",
    "div": "{x} / {y}",
    "maximum": "tl.maximum({x}, {y})",
    "minimum": "tl.minimum({x}, {y})",
    # From the nearer end, as PyTorch does it: near weight 1 the far end would bring its rounding error.
    "lerp": "tl.where(tl.abs({weight}) < 0.5, {x} + {weight} * ({y} - {x}), "
    "{y} - (1.0 - {weight}) * ({y} - {x}))",
    "add_scalar": "{x} + {value}",
    "sub_scalar": "{x} - {value}",
    "rsub_scalar": "{value} - {x}",
    "mul_scalar": "{x} * {value}",
    "div_scalar": "{x} / {value}",
    "rdiv_scalar": "{value} / {x}",
    "lerp_scalar": "(1.0 - {value}) * {x} + {value} * {y}",
    "relu": "tl.maximum({x}, 0.0)",
    "leaky_relu": "tl.where({x} > 0.0, {x}, {x} * {negative_slope})",
    "sigmoid": "tl.sigmoid({x})",
    "tanh": "libdevice.tanh({x})",
    "silu": "{x} * tl.sigmoid({x})",
    "gelu": "0.5 * {x} * (1.0 + tl.erf({x} * 0.7071067811865476))",
    "selu": "1.0507009873554805 * tl.where({x} > 0.0, {x}, 1.6732632423543772 * libdevice.expm1({x}))",
    "elu": "tl.where({x} > 0.0, {x}, {alpha} * libdevice.expm1({x}))",
    "hardsigmoid": "tl.minimum(tl.maximum({x} + 3.0, 0.0), 6.0) / 6.0",
    "hardtanh": "tl.minimum(tl.maximum({x}, {min_val}), {max_val})",
    "softplus": "tl.where({x} * {beta} > {threshold}, {x}, libdevice.log1p(tl.exp({x} * {beta})) / {beta})",
    "softsign": "{x} / (1.0 + tl.abs({x}))",
    "logsigmoid": "tl.minimum({x}, 0.0) - libdevice.log1p(tl.exp(-tl.abs({x})))",
    "clamp": "tl.minimum(tl.maximum({x}, {min}), {max})",
    "cos": "libdevice.cos({x})",
    "sin": "libdevice.sin({x})",
    "exp2": "tl.exp2({x})",
    "abs": "tl.abs({x})",
}
"""Operators as expressions of their operands and attributes. Nothing finite overflows but where the operator
does, or in the branch that is not taken."""
GELU_TANH = "0.5 * {x} * (1.0 + libdevice.tanh(0.7978845608028654 * ({x} + 0.044715 * {x} * {x} * {x})))"

HEAD = """import torch
import triton
import triton.language as tl
"""
LIBDEVICE = "from triton.language.extra import libdevice\n"
KERNEL = """

@triton.jit
def kernel_{number}({pointers}, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < {size}
    {body}
    tl.store(out_ptr + at, {out}, mask=mask)
"""
LAUNCH = """    {out} = torch.empty({shape}, dtype=torch.{dtype}, device=tensor_0.device)
    kernel_{number}[(triton.cdiv({size}, {block}),)]({arguments}, {out}, BLOCK={block})
"""


def write(program: Program, block: int = 1024) -> str:
    """The candidate: `triton_fused_operator`, with a kernel for each output."""
    kernels, launches = "", ""
    for number, value in enumerate(program.outputs):
        spec, needed = program.values[value], _needed(program, value)
        read = [each for each in needed if each < len(program.inputs)]
        names = {"number": number, "out": variable(value), "size": spec.num_elements}
        lines = [f"{variable(each)} = {_computed(program, each, spec.shape)}" for each in needed]
        pointers = ", ".join(f"{variable(each)}_ptr" for each in read)
        kernels += KERNEL.format(**names, pointers=pointers, body="\n    ".join(lines))
        launches += LAUNCH.format(
            **names,
            shape=spec.shape,
            dtype=spec.dtype,
            block=block,
            arguments=", ".join(f"{variable(each)}.contiguous()" for each in read),
        )
    arguments = ", ".join(variable(value) for value in range(len(program.inputs)))
    returned = ", ".join(variable(value) for value in program.outputs)
    head = HEAD + (LIBDEVICE if "libdevice." in kernels else "")
    return f"{head}{kernels}\n\ndef triton_fused_operator({arguments}):\n{launches}    return [{returned}]\n"


def programs(levels: Sequence[int], count: int, seed: int, profile: str) -> list[Program]:
    """Distinct synthesised programs of the operators above, the levels in turn."""
    made: dict[str, Program] = {}
    for number in itertools.count():
        if len(made) == count:
            break
        level = levels[number % len(levels)]
        each = program(Config(level, seed, profile, ops=tuple(TRITON)), number)
        made.setdefault(each.program_id, each)
    return list(made.values())


def as_task(program: Program) -> Task:
    return Task(
        id=program.program_id,
        kind="functional",
        source=emit(program),
        entry="fused_operator",
        init_style="none",
        level=len(program.ops),
        program=program.to_json(),
        ops=program.ops,
    )


def _needed(program: Program, value: int) -> list[int]:
    """The values that this one is computed from, and itself, in order."""
    node = program.node_of(value)
    before = {each for operand in (node.operands if node else ()) for each in _needed(program, operand)}
    return [*sorted(before), value]


def _computed(program: Program, value: int, shape: tuple[int, ...]) -> str:
    """The expression of a value at the elements `at` of an output of this shape."""
    node = program.node_of(value)
    if node is None:
        offsets = _offsets(program.values[value].shape, shape)
        return f"tl.load({variable(value)}_ptr + {offsets}, mask=mask, other=0.0)"
    if node.op not in TRITON:
        raise UnknownNameError("pointwise operator", node.op, list(TRITON))
    template = GELU_TANH if node.attrs.get("approximate") == "tanh" else TRITON[node.op]
    operands = {slot.name: variable(each) for slot, each in zip(node.row.slots, node.operands, strict=True)}
    return template.format(**operands, **{name: literal(each) for name, each in node.attrs.items()})


def _offsets(shape: tuple[int, ...], out: tuple[int, ...]) -> str:
    """Where an operand of this shape has what meets element `at` of the output. Neighbouring dims that are
    both there, or both broadcast, count as one."""
    aligned = zip(reversed((1,) * (len(out) - len(shape)) + shape), reversed(out), strict=True)
    terms, step, stride = [], 1, 1
    for kept, group in itertools.groupby(aligned, lambda sizes: sizes[0] == sizes[1]):
        count = math.prod(whole for _, whole in group)
        if kept:
            divided = f" // {step}" if step > 1 else ""
            wrapped = f" % {count}" if step * count < math.prod(out) else ""
            terms.append(f"at{divided}{wrapped}{f' * {stride}' if stride > 1 else ''}")
            stride *= count
        step *= count
    return " + ".join(reversed(terms)) or "at * 0"
