"""What a run writes of itself: frozen records, a line each; and the figures in them, from rollouts."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from tritonrl.train.rl.rollouts import Rolled, Rollout

QUANTILES = {"p10": 0.1, "p50": 0.5, "p90": 0.9}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Answers(_Record):
    """What the answers of a generation came to; rates are of those with a verdict."""

    num_rollouts: int
    num_not_scored: int
    """Without a verdict, or without an opinion that was asked for."""
    num_cached: int
    """Whose verdict was known."""
    reward_code: float | None = None
    """Mean of R_correct."""
    reward_plan: float | None = None
    """Mean of R_speedup where it is known."""
    valid: float | None = None
    compiled: float | None = None
    correct: float | None = None
    """Accepted."""
    speedup: dict[str, float] | None = None
    """Quantiles over right answers whose speed is known."""
    findings: dict[str, int]
    """Rule → answers that it rejected."""
    mixed_groups: float
    """Share of questions with right and wrong answers: those that teach correctness."""
    plan_tokens: float
    code_tokens: float
    """Means."""
    cut_off: float
    """Share of answers that found no room to end."""


class Update(_Record):
    """What was learned from them."""

    loss: float
    grad_norm: float | None = None
    learning_rate: float
    entropy_plan: float | None = None
    entropy_code: float | None = None
    """Means over tokens; None where there were none."""
    kl: float
    """KL(π_old‖π_θ) where the loss was taken: 0 in the first update of a generation."""


class Seconds(_Record):
    """Where the time went."""

    generation: float
    verification: float
    update: float
    held_out: float
    total: float

    @property
    def shares(self) -> dict[str, float]:
        parts = {name: each for name, each in self.model_dump().items() if name != "total"}
        return {name: each / self.total if self.total else 0.0 for name, each in parts.items()}


class Logged(_Record):
    """A generation. A line of `log.jsonl`."""

    generation: int
    """From 1."""
    num_generations: int
    level: int
    """That was learned."""
    levels: dict[int, int]
    """Questions of each level."""
    answers: Answers
    update: Update
    seconds: Seconds
    tokens_per_second: float
    """While it wrote."""
    verdicts_per_second: float
    """While it verified, those that were known included."""


class Look(_Record):
    """Greedy answers to the held-out programs of a level. A line of `held_out.jsonl`."""

    generation: int
    """After so many."""
    level: int
    num_tasks: int
    """That were scored."""
    correct: float
    """correct@1, accepted by the verifier."""
    fast_1: float | None = None
    """Share of the tasks that are right and faster than PyTorch; None where speed was not measured."""
    geomean_speedup: float | None = None
    """Over the tasks; a failure counts as 1, since its user keeps PyTorch."""
    valid: float
    compiled: float
    findings: dict[str, int]


def answers(rollouts: Sequence[Rollout], group_size: int) -> Answers:
    verdicts = [each.judged.verdict for each in rollouts if each.judged.verdict]
    speeds = [each.reward.measured for each in rollouts if each.reward.measured is not None]
    rewards = [each.reward for each in rollouts]
    groups = [rewards[first : first + group_size] for first in range(0, len(rewards), group_size)]
    plans = [each.num_plan for each in rollouts]
    lengths = [len(each.written.tokens) for each in rollouts]
    return Answers(
        num_rollouts=len(rollouts),
        num_not_scored=sum(each.correct is None for each in rewards),
        num_cached=sum(each.cached for each in verdicts),
        reward_code=_mean(each.correct for each in rewards),
        reward_plan=_mean(each.speedup for each in rewards),
        valid=_mean(float(bool(each.valid)) for each in verdicts),
        compiled=_mean(float(bool(each.compiled)) for each in verdicts),
        correct=_mean(float(each.accepted) for each in verdicts),
        speedup=quantiles(speeds),
        findings=findings(rollouts),
        mixed_groups=statistics.fmean(
            float({0.0, 1.0} <= {each.correct for each in group}) for group in groups
        ),
        plan_tokens=statistics.fmean(plans),
        code_tokens=statistics.fmean(length - plan for length, plan in zip(lengths, plans, strict=True)),
        cut_off=statistics.fmean(float(each.written.is_cut_off) for each in rollouts),
    )


def look(generation: int, level: int, rolled: Rolled, is_timed: bool) -> Look | None:
    """None where nothing was scored. A right answer of unknown speed counts as one that is no faster."""
    scored = [each for each in rolled.rollouts if each.reward.correct is not None]
    verdicts = [each.judged.verdict for each in scored if each.judged.verdict]
    if not verdicts:
        return None
    right = [each.reward for each in scored if each.reward.correct == 1.0]
    speeds = [each.measured for each in right if each.measured is not None]
    return Look(
        generation=generation,
        level=level,
        num_tasks=len(scored),
        correct=len(right) / len(scored),
        fast_1=sum(each > 1.0 for each in speeds) / len(scored) if is_timed else None,
        geomean_speedup=math.exp(sum(map(math.log, speeds)) / len(scored)) if is_timed else None,
        valid=statistics.fmean(bool(each.valid) for each in verdicts),
        compiled=statistics.fmean(bool(each.compiled) for each in verdicts),
        findings=findings(scored),
    )


def findings(rollouts: Iterable[Rollout]) -> dict[str, int]:
    """Rule → answers that it decided."""
    verdicts = (each.judged.verdict for each in rollouts)
    return dict(Counter(each.rejection.rule for each in verdicts if each and each.rejection).most_common())


def quantiles(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    ordered = sorted(values)
    return {
        name: ordered[min(int(share * len(ordered)), len(ordered) - 1)] for name, share in QUANTILES.items()
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return statistics.fmean(known) if known else None
