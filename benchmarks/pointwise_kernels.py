"""Honest Triton kernels for programs of pointwise operators: candidates in any number, for benchmarks.

    for made in programs((1, 2, 3), count=12, seed=0, profile="cpu"):
        task, candidate = as_task(made), write(made, block=256)

An output is computed by one kernel over its flat elements. Every operand is broadcast to the output's shape,
so an input's offset follows from the output's by divisions and remainders; shapes are written into the text.
"""

import itertools
from collections.abc import Sequence

from tritonrl.errors import UnknownNameError
from tritonrl.program import Program, emit
from tritonrl.program.emit import variable
from tritonrl.synth import Config, program
from tritonrl.tasks import Task
from tritonrl.teach.composer.indexing import aligned, contiguous, offset, split
from tritonrl.teach.composer.pointwise import TRITON, expression, is_pointwise

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
    return Task.functional(program.program_id, emit(program), program.level, program.to_json())


def _needed(program: Program, value: int) -> list[int]:
    """The values that this one is computed from, and itself, in order."""
    node = program.node_of(value)
    before = {each for operand in (node.operands if node else ()) for each in _needed(program, operand)}
    return [*sorted(before), value]


def _computed(program: Program, value: int, shape: tuple[int, ...]) -> str:
    """The expression of a value at the elements `at` of an output of this shape."""
    node, own = program.node_of(value), program.values[value].shape
    if node is None:
        place = offset(aligned(split("at", shape), own), contiguous(own))
        return f"tl.load({variable(value)}_ptr + {place if place != '0' else 'at * 0'}, mask=mask, other=0.0)"
    if not is_pointwise(node):
        raise UnknownNameError("pointwise operator", node.op, list(TRITON))
    return expression(
        node, {slot.name: variable(each) for slot, each in zip(node.row.slots, node.operands, strict=True)}
    )
