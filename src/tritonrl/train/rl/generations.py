"""Generations: the questions of one, their answers and verdicts, and what is kept of them; and looks at
held-out programs between them."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tritonrl.policy.local.writer import Writer
from tritonrl.synth.generate import derive_seed
from tritonrl.train.curriculum import Curriculum
from tritonrl.train.rewards import SPEED_CAP
from tritonrl.train.rl import log, plots
from tritonrl.train.rl.cheats import keep_cheats
from tritonrl.train.rl.model import take_over
from tritonrl.train.rl.recipe import Rl
from tritonrl.train.rl.records import Answers, Look, answers, look
from tritonrl.train.rl.rollouts import Rollout, roll
from tritonrl.train.rl.tasks import Asked, Asker, Source
from tritonrl.train.rl.verifier import Verifier

STATE = "curriculum.json"


@dataclass(frozen=True)
class Made:
    """What is known of a generation before it is learned from."""

    level: int
    levels: dict[int, int]
    answers: Answers
    num_tokens: int
    generation_seconds: float
    verification_seconds: float
    held_out_seconds: float
    ended: float
    """By `time.perf_counter`."""


class Generations:
    """Call it with a number to make that generation, with the weights that the model has then."""

    def __init__(
        self,
        recipe: Rl,
        writer: Writer,
        verifier: Verifier,
        asker: Asker,
        source: Source,
        hear: Callable[[Look], None],
    ) -> None:
        chosen = recipe.curriculum
        self._recipe, self._writer, self._verifier = recipe, writer, verifier
        self._asker, self._source, self._hear = asker, source, hear
        self._curriculum = Curriculum(
            chosen.levels, chosen.promote_at, chosen.rehearsal, chosen.revisit, recipe.training.seed,
            source.counts,
        )  # fmt: skip
        self._cap: float = getattr(recipe.objective, "speed_cap", SPEED_CAP)
        self.model: Any = None
        """The one that learns, when there is one."""
        self.scribe: Any = None
        self.made: Made | None = None
        """The last one."""

    def __call__(self, number: int) -> list[Rollout]:
        recipe, training = self._recipe, self._recipe.training
        take_over(self.model, self.scribe)
        began = time.perf_counter()
        if number % recipe.held_out.every == 0:
            self.look(number)
        looked = time.perf_counter()
        chosen = self._curriculum.draw(number, training.groups, self._ask)
        asked = [each.asked for each in chosen for _ in range(training.group_size)]
        seeds = [derive_seed("rollout", training.seed, number, place) for place in range(len(asked))]
        drawn = time.perf_counter()
        rolled = roll(self._writer, self._verifier, asked, seeds, self._cap)
        for place, each in enumerate(chosen):
            group = rolled.rollouts[place * training.group_size :][: training.group_size]
            scored = [each.reward.correct for each in group if each.reward.correct is not None]
            self._curriculum.tell(each.level, each.number, sum(scored), len(scored))
        log.keep_rollouts(recipe.out, number + 1, rolled.rollouts)
        keep_cheats(recipe.out, number + 1, rolled.rollouts)
        self.made = Made(
            level=self._curriculum.level,
            levels=dict(sorted(Counter(each.level for each in chosen).items())),
            answers=answers(rolled.rollouts, training.group_size),
            num_tokens=rolled.num_tokens,
            generation_seconds=rolled.generation_seconds + drawn - looked,
            verification_seconds=rolled.verification_seconds,
            held_out_seconds=looked - began,
            ended=time.perf_counter(),
        )
        return rolled.rollouts

    def look(self, number: int) -> list[Look]:
        """At the held-out programs, after so many generations; may begin the next level."""
        levels, asked = self._recipe.held_out.levels, self._held_out
        wanted = dict.fromkeys([*(asked if levels is None else levels), self._curriculum.level])
        found = []
        for level in wanted:
            if not asked[level]:
                continue
            rolled = roll(self._writer, self._verifier, asked[level], [None] * len(asked[level]), self._cap)
            if (seen := look(number, level, rolled, self._verifier.is_timed)) is not None:
                found.append(seen)
                log.append(self._recipe.out / log.HELD_OUT, seen)
                self._hear(seen)
        self._curriculum.look(number, {each.level: each.correct for each in found})
        plots.draw(self._recipe.out)
        return found

    def save(self, checkpoint: Path) -> None:
        self._curriculum.save(checkpoint / STATE)

    def restore(self, checkpoint: Path) -> None:
        self._curriculum.restore(checkpoint / STATE)

    def _ask(self, level: int, number: int) -> Asked | None:
        task = self._source.task(level, number)
        return None if task is None else self._asker.ask(task)

    @cached_property
    def _held_out(self) -> dict[int, list[Asked]]:
        levels = dict.fromkeys([*self._recipe.curriculum.levels, *(self._recipe.held_out.levels or ())])
        tasks = {level: self._source.held_out(level) for level in levels}
        return {
            level: [asked for task in each if (asked := self._asker.ask(task)) is not None]
            for level, each in tasks.items()
        }
