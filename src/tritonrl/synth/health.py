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

from tritonrl.program.program import Program
from tritonrl.program.run import draw_inputs, run_all

DRAWS = 3
"""Of each kind. With two plain ones 7 of 8,400 programs had a constant output on one of five more."""
TILT = 3.0
LARGEST = 1e4
"""Within the range of float16, and far from where exp2 overflows after one more operator."""
SMALLEST_RMS = 1e-4
LEAST_SPREAD = 1e-2
"""Of the standard deviation, relative to the root mean square."""
LEAST_VARIED_SHARE = 0.25
"""Of elements that differ from the most common kind of element, the median."""
LEAST_DISTINCT = 8
SMALL = 1024
"""Up to this many elements, distinct ones are counted: a running minimum of a running minimum has few, and on
one draw in a hundred only one."""
LEAST_DENOMINATOR = 0.05
"""Relative to the root mean square: a quotient by anything smaller is all rounding error."""
LARGEST_EXPONENT = 30.0


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
    if lengths[position] != 1 and node.row.with_terms:
        terms = program.node_terms(position)
        result = LENGTHENED[node.row.with_terms](result, operands[0], terms, lengths[position], alike)
    dividing = [x for slot, x in enumerate(operands) if x is not None and node.row.slot(slot).positive]
    exponents = operands if node.op == "exp2" else []
    if (
        all(_divides_well(x) for x in dividing)
        and all(x is not None and x.max().item() <= LARGEST_EXPONENT for x in exponents)
        and _varies(result)
    ):
        return result
    raise _Sick(position)


def _lengths(small: Program, large: Program) -> list[float]:
    """How many times more terms each node of the large program accumulates."""
    return [large.node_terms(position) / small.node_terms(position) for position in range(len(large.nodes))]


def _sum(result: Any, x: Any, terms: int, length: float, alike: bool) -> Any:
    """Terms that are alike add up with their number, others about their mean with its root."""
    mean = result.mean()
    return mean * length + (result - mean) * (length if alike else length**0.5)


def _mean(result: Any, x: Any, terms: int, length: float, alike: bool) -> Any:
    return result if alike else result.mean() + (result - result.mean()) * length**-0.5


def _norm(result: Any, x: Any, terms: int, length: float, alike: bool) -> Any:
    return result * length**0.5 if alike else result + result.mean() * (length**0.5 - 1)


def _extreme(sign: int) -> Callable[..., Any]:
    """The extreme of n normal values lies near √(2 ln n) standard deviations."""

    def lengthened(result: Any, x: Any, terms: int, length: float, alike: bool) -> Any:
        if alike or not x.is_floating_point():
            return result
        shift = math.sqrt(2 * math.log(max(terms * length, 1))) - math.sqrt(2 * math.log(terms))
        return result + sign * shift * x.std()

    return lengthened


LENGTHENED: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "mean": _mean,
    "norm": _norm,
    "maximum": _extreme(1),
    "minimum": _extreme(-1),
    "probability": lambda result, x, terms, length, alike: result / length,
    "log_probability": lambda result, x, terms, length, alike: result - math.log(length),
}
"""(result, first operand, its terms, how many times more, whether they are alike) → the longer result."""


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


def _divides_well(denominator: torch.Tensor) -> bool:
    magnitude = denominator.float().abs()
    return magnitude.min().item() >= LEAST_DENOMINATOR * magnitude.square().mean().sqrt().item() > 0


def _varies(value: torch.Tensor) -> bool:
    flat = value.flatten().float()
    if not flat.abs().max().item() <= LARGEST:  # holds for nan and infinity too
        return False
    spread, mean = (each.item() for each in torch.std_mean(flat, correction=0))
    rms = math.hypot(spread, mean)
    if rms < SMALLEST_RMS or spread < LEAST_SPREAD * rms:
        return False
    if value.is_floating_point() and flat.numel() <= SMALL and len(flat.unique()) < LEAST_DISTINCT:
        return False
    return torch.count_nonzero(flat != flat.median()).item() >= LEAST_VARIED_SHARE * flat.numel()
