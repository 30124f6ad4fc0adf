"""Health: a program is worth keeping if its values carry information and stay in range.

The program is run on several draws of its own inputs, and on as many *tilted* ones: every input is shifted by
three standard deviations of its mean, one way or the other, as an unlucky draw would be. No value may be
constant, nearly constant, non-finite, or so large, so small or so close to a division by zero that another
draw could be. The margins are wide on purpose: a program that passes here passes on any draw.
"""

import math
import random
from collections.abc import Sequence

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


def first_sick_node(program: Program, seed: int, lengths: Sequence[float] | None = None) -> int | None:
    """Position of the first node whose value is not healthy on some draw; None if all are.

    `lengths` stretches the program: the output of node i is multiplied by lengths[i], as if its sums had that
    many times more terms. So a small twin stands in for a program too large to run.
    """

    def check(position: int, operands: list[torch.Tensor | None], result: torch.Tensor) -> torch.Tensor:
        if lengths and lengths[position] != 1:
            result = result * lengths[position]
        node = program.nodes[position]
        dividing = [x for slot, x in enumerate(operands) if x is not None and node.row.slot(slot).positive]
        exponents = operands if node.op == "exp2" else []
        if (
            all(_divides_well(x) for x in dividing)
            and all(x is not None and x.max().item() <= LARGEST_EXPONENT for x in exponents)
            and _varies(result)
        ):
            return result
        raise _Sick(position)

    for draw in range(2 * DRAWS):
        inputs = draw_inputs(program, seed + draw)
        try:
            run_all(program, _tilted(inputs, seed + draw) if draw % 2 else inputs, check)
        except _Sick as sick:
            return sick.position
    return None


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


def stretches(large: Program, small: Program) -> list[float]:
    """How many times more terms each sum of the large program has than in its small twin."""
    result = []
    for position, node in enumerate(large.nodes):
        ratio = large.node_terms(position) / small.node_terms(position) if node.row.grows else 1.0
        result.append(math.sqrt(ratio) if node.op == "norm" else ratio)
    return result
