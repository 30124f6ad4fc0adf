"""Run a Program with PyTorch, value by value: what runs is the text that `emit` writes."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType

import torch
import torch.nn.functional as F

from tritonrl.program.emit import draw, expression, variable
from tritonrl.program.program import Program

NAMES = {"torch": torch, "F": F}


def draw_inputs(program: Program, seed: int, device: str = "cpu") -> list[torch.Tensor]:
    """Inputs drawn on a device as the emitted `get_inputs` draws them, from a generator of their own."""
    names = {**NAMES, "generator": torch.Generator(device).manual_seed(seed)}
    options = f", generator=generator, device={device!r}"
    return [eval(draw(program, value, options), names) for value in range(len(program.inputs))]


def run(program: Program, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of the program on these inputs."""
    values = run_all(program, inputs)
    return [values[value] for value in program.outputs]


def run_all(
    program: Program,
    inputs: Sequence[torch.Tensor],
    watch: Callable[[int, list[torch.Tensor | None], torch.Tensor], torch.Tensor] | None = None,
) -> list[torch.Tensor]:
    """Every value of the program, inputs first. `watch(position, operands, result)` sees each node's result
    and gives the one to go on with."""
    values = list(inputs)
    names = {variable(value): tensor for value, tensor in enumerate(inputs)}
    for position, node in enumerate(program.nodes):
        result = eval(_compiled(expression(program, position)), NAMES, names)
        if watch:
            result = watch(position, [None if v is None else values[v] for v in node.inputs], result)
        names[variable(program.value_of(position))] = result
        values.append(result)
    return values


@lru_cache(maxsize=65536)
def _compiled(source: str) -> CodeType:
    return compile(source, "<program>", "eval")
