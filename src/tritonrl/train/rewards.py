"""Rewards: what a verdict is worth. What says nothing about the answer is not scored: None, never 0.

R_correct = valid·correct        R_speedup = valid·correct·clip(speedup, 0, cap)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from tritonrl.verify.verdict import Judged, Verdict

SPEED_CAP = 2.0
"""Speedups above this are worth no more (TritonRL)."""


@dataclass(frozen=True)
class Reward:
    correct: float | None
    """R_correct; None where our own machinery, the task, or the lack of an opinion kept us from a verdict."""
    speedup: float | None
    """R_speedup; of a wrong answer 0, of a right one None where its speed is not known."""
    measured: float | None = None
    """The speedup of a right answer as it was measured, which DRPO weighs."""


NOT_SCORED = Reward(None, None)


def reward(judged: Judged, cap: float = SPEED_CAP) -> Reward:
    """Of one answer."""
    verdict = judged.verdict
    # None keeps the row out of the group baseline; 0.0 would punish the model for our crash.
    if verdict is None or _undecided(verdict):
        return NOT_SCORED
    if not verdict.accepted:
        return Reward(0.0, 0.0)
    measured = verdict.speedup
    return Reward(1.0, None if measured is None else min(max(measured, 0.0), cap), measured)


def _undecided(verdict: Verdict) -> bool:
    """Right, but nobody knows whether it is honest."""
    return verdict.not_judged is not None or (verdict.valid is None and bool(verdict.correct))


def tensor(values: Sequence[float | None]) -> torch.Tensor:
    """For the objectives, with NaN for what was not scored."""
    return torch.tensor([math.nan if each is None else each for each in values])
