"""Health: a program is worth keeping if its values carry information and stay in range.

The program is run on several draws of its own inputs, and on as many *tilted* ones: every input is shifted by
three standard deviations of its mean, one way or the other, as an unlucky draw would be. No value may be
constant, nearly constant, non-finite, or so large, so small or so close to a division by zero that another
draw could be. The margins are wide on purpose: a program that passes here passes on any draw.
"""

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from tritonrl.program.ops.compare import ATEN
from tritonrl.program.program import Node, Program
from tritonrl.program.run import draw_inputs, run_all

DRAWS = 3
"""Of each kind. With two plain ones 7 of 8,400 programs had a constant output on one of five more."""
TILT = 3.0
LARGEST = 1e4
"""Within the range of float16, and far from where exp2 overflows after one more operator."""
SMALLEST_RMS = 1e-4
LEAST_SPREAD = 1e-2
LEAST_STEPS = 8
"""Of the standard deviation, relative to the root mean square and to the step between neighbouring numbers of
the type: in bfloat16 that is one in 128."""
LEAST_VARIED_SHARE = 0.25
"""Of elements that differ from the most common kind of element, the median."""
LEAST_DISTINCT = 8
SMALL = 1024
"""Up to this many elements, distinct ones are counted: a running minimum of a running minimum has few, and on
one draw in a hundred only one."""
LEAST_OUTCOME = 0.05
"""Share of elements that a comparison must decide one way, and the other."""
LEAST_DENOMINATOR = 0.05
"""Relative to the root mean square: a quotient by anything smaller is all rounding error."""


def first_sick_node(program: Program, seed: int, large: Program | None = None) -> int | None:
    """Position of the first node whose value is not healthy on some draw; None if all are.

    Where `large` is given, `program` is its small twin and stands in for it: the values of sums, means,
    maxima and the like are changed as the larger number of terms would change them.
    """
    lengths = _lengths(program, large) if large else [1.0] * len(program.nodes)
    for draw in range(2 * DRAWS):
        inputs = draw_inputs(program, seed + draw)
        check = partial(_check, program, lengths, draw % 2 == 0)
        try:
            run_all(program, _tilted(inputs, seed + draw) if draw % 2 else inputs, check)
        except _Sick as sick:
            return sick.position
    return None


def _check(
    program: Program,
    lengths: Sequence[float],
    alike: bool,
    position: int,
    operands: list[torch.Tensor | None],
    result: torch.Tensor,
) -> torch.Tensor:
    """The result of a node, lengthened; `_Sick` if it or what the node reads is not healthy."""
    node = program.nodes[position]
    kind = node.row.changes_with_terms(node.attrs)
    if lengths[position] != 1 and kind:
        terms = program.node_terms(position)
        result = LENGTHENED[kind](result, operands, terms, lengths[position], alike)
    if _is_served(node, operands) and _varies(result):
        return result
    raise _Sick(position)


def _lengths(small: Program, large: Program) -> list[float]:
    """How many times more terms each node of the large program accumulates."""
    return [large.node_terms(position) / small.node_terms(position) for position in range(len(large.nodes))]


def _sum(result: Any, operands: Any, terms: int, length: float, alike: bool) -> Any:
    """Terms that are alike add up with their number, others about their mean with its root."""
    mean = result.mean()
    return mean * length + (result - mean) * (length if alike else length**0.5)


def _mean(result: Any, operands: Any, terms: int, length: float, alike: bool) -> Any:
    return result if alike else result.mean() + (result - result.mean()) * length**-0.5


def _norm(result: Any, operands: Any, terms: int, length: float, alike: bool) -> Any:
    return result * length**0.5 if alike else result + result.mean() * (length**0.5 - 1)


def _extreme(sign: int) -> Callable[..., Any]:
    """The extreme of n normal values lies near √(2 ln n) standard deviations."""

    def lengthened(result: Any, operands: Any, terms: int, length: float, alike: bool) -> Any:
        x = operands[0]
        if alike or not x.is_floating_point():
            return result
        shift = math.sqrt(2 * math.log(max(terms * length, 1))) - math.sqrt(2 * math.log(terms))
        return result + sign * shift * x.std()

    return lengthened


def _margin(result: Any, operands: Any, terms: int, length: float, alike: bool) -> Any:
    """What one distance has over another grows with their root, and is cut off below zero."""
    anchor, near, far = operands
    excess = (anchor - near).norm(dim=-1).mean() - (anchor - far).norm(dim=-1).mean()
    return (result + excess * (length**0.5 - 1)).clamp(min=0)


LENGTHENED: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "mean": _mean,
    "norm": _norm,
    "margin": _margin,
    "maximum": _extreme(1),
    "minimum": _extreme(-1),
    "product": lambda result, *terms: _sum(result.log(), *terms).exp(),
    "log_sum": lambda result, operands, terms, length, alike: (
        _mean(result, operands, terms, length, alike) + math.log(length)
    ),
    "surprise": lambda result, operands, terms, length, alike: result + math.log(length),
    "probability": lambda result, operands, terms, length, alike: result / length,
    "log_probability": lambda result, operands, terms, length, alike: result - math.log(length),
}
"""(result, operands, terms of the first, how many times more, whether they are alike) → the longer result."""


def _tilted(inputs: list[torch.Tensor], seed: int) -> list[torch.Tensor]:
    """Inputs as an unlucky draw would give them; those drawn positive stay so."""
    rng = random.Random(seed)
    return [
        x + rng.choice((-TILT, TILT)) * x.numel() ** -0.5 if x.is_floating_point() and x.min() < 0 else x
        for x in inputs
    ]


class _Sick(Exception):
    def __init__(self, position: int) -> None:
        self.position = position


def _is_served(node: Node, operands: list[torch.Tensor | None]) -> bool:
    """Whether what a node reads is what its slots need."""
    read = [(node.row.slot(place).needs, x) for place, x in enumerate(operands) if x is not None]
    compared = [x for need, x in read if need == "exact"]
    return all(_divides_well(x) for need, x in read if need == "positive") and (
        not compared or _decides(node, *compared)
    )


def _decides(node: Node, left: torch.Tensor, right: torch.Tensor | None = None) -> bool:
    """Whether a comparison has either outcome often enough to matter."""
    compare = getattr(torch, ATEN[node.attrs["comparison"]])
    share = compare(left, node.attrs["threshold"] if right is None else right).float().mean().item()
    return LEAST_OUTCOME <= share <= 1 - LEAST_OUTCOME


def _divides_well(denominator: torch.Tensor) -> bool:
    magnitude = denominator.float().abs()
    return magnitude.min().item() >= LEAST_DENOMINATOR * magnitude.square().mean().sqrt().item() > 0


def _varies(value: torch.Tensor) -> bool:
    flat = value.flatten().float()
    if not flat.abs().max().item() <= LARGEST:  # holds for nan and infinity too
        return False
    spread, mean = (each.item() for each in torch.std_mean(flat, correction=0))
    rms = math.hypot(spread, mean)
    step = torch.finfo(value.dtype).eps if value.is_floating_point() else 0.0
    if rms < SMALLEST_RMS or spread < max(LEAST_SPREAD, LEAST_STEPS * step) * rms:
        return False
    if value.is_floating_point() and flat.numel() <= SMALL and len(flat.unique()) < LEAST_DISTINCT:
        return False
    return torch.count_nonzero(flat != flat.median()).item() >= LEAST_VARIED_SHARE * flat.numel()
