"""Rollouts: questions, the answers that the policy wrote, and what they are worth."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from tritonrl.policy.local.writer import Row, Writer, Written
from tritonrl.train.plan import num_plan_tokens
from tritonrl.train.rewards import Reward, reward
from tritonrl.train.rl.tasks import Asked
from tritonrl.train.rl.verifier import Verifier
from tritonrl.verify.verdict import Judged


@dataclass(frozen=True)
class Rollout:
    """One answer."""

    asked: Asked
    written: Written
    answer: str
    """To the task: what was written, or that inside of a module."""
    num_plan: int
    """How many of the written tokens are the plan."""
    judged: Judged
    reward: Reward


@dataclass(frozen=True)
class Rolled:
    """Answers in the order in which they were asked for, and what they took."""

    rollouts: list[Rollout]
    generation_seconds: float
    verification_seconds: float

    @property
    def num_tokens(self) -> int:
        return sum(len(each.written.tokens) for each in self.rollouts)


def roll(
    writer: Writer, verifier: Verifier, asked: Sequence[Asked], seeds: Sequence[int | None], cap: float
) -> Rolled:
    """An answer to each question, drawn by its seed, or the likeliest where that is None; all of them are
    judged when all are written, because a GPU that writes cannot time."""
    began = time.perf_counter()
    rows = [Row(each.prompt, seed) for each, seed in zip(asked, seeds, strict=True)]
    written: list[Written] = []
    while len(written) < len(rows):
        written += writer.write(rows[len(written) :])
    plans = [
        num_plan_tokens(writer.tokenizer, each.tokens, question.prompt.opening)
        for each, question in zip(written, asked, strict=True)
    ]
    answers = [question.answer(each.text) for each, question in zip(written, asked, strict=True)]
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # judges need the memory, and are other processes
    between = time.perf_counter()
    judged = verifier.judge([each.task for each in asked], answers)
    ended = time.perf_counter()
    rollouts = [
        Rollout(*each, reward(each[-1], cap))
        for each in zip(asked, written, answers, plans, judged, strict=True)
    ]
    return Rolled(rollouts, between - began, ended - between)
