"""GRPO with one reward for all tokens, the baseline of both papers:

    r = β·R_correct + (1 - β)·R_speedup        Â = r normalised in its group        J: the clipped surrogate

Where the speed of a right answer is not known (NaN), its group is compared by β·R_correct alone: beside
answers that have a speed, it would seem slow.
"""

import torch

from tritonrl.train.objectives import surrogate
from tritonrl.train.objectives.groups import normalised


def rewards(correct: torch.Tensor, speedup: torch.Tensor, size: int, beta: float) -> torch.Tensor:
    """r, (B,); NaN where the answer was not scored."""
    unknown = (speedup.isnan() & ~correct.isnan()).view(-1, size).any(1).repeat_interleave(size)
    return beta * correct + torch.where(unknown, 0.0, (1 - beta) * speedup)


def advantages(correct: torch.Tensor, speedup: torch.Tensor, size: int, beta: float) -> torch.Tensor:
    """Of answers, (B,)."""
    return normalised(rewards(correct, speedup, size, beta), size)


def loss(
    logps: torch.Tensor, old_logps: torch.Tensor, mask: torch.Tensor, correct: torch.Tensor,
    speedup: torch.Tensor, size: int, beta: float = 0.9, clip: float = 0.2,
) -> torch.Tensor:  # fmt: skip
    """-J."""
    return surrogate.loss(logps, old_logps, advantages(correct, speedup, size, beta), mask, clip)
