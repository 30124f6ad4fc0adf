"""Where questions come from: programs, drawn by number, or tasks of the user's own; how they are asked."""

import json
import logging
import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

import torch
from transformers import PreTrainedTokenizerBase

from tritonrl import files
from tritonrl.errors import UserError
from tritonrl.policy.local.prompt import Prompt, program_prompt, prompt
from tritonrl.policy.programs import Question
from tritonrl.synth import Config, program, row, rows
from tritonrl.synth.generate import derive_seed
from tritonrl.synth.pool import workers_for
from tritonrl.tasks import Task, TaskError, load_each
from tritonrl.train.recipe import drawn
from tritonrl.train.rl.recipe import HeldOutCurve, Rl, Tasks
from tritonrl.train.sft.lessons import held_out_ids
from tritonrl.verify import Zygotes

HELD_OUT = "held_out.json"
MOST_KEPT = 4096
"""Tasks that were drawn: those that are asked again need not be drawn again."""
LOG = logging.getLogger(__name__)


class Source(Protocol):
    @property
    def counts(self) -> Mapping[int, int]:
        """How many tasks a level has; one that is not there has no end."""
        ...

    def task(self, level: int, number: int) -> Task | None:
        """None where that one is held out."""
        ...

    def held_out(self, level: int) -> list[Task]:
        """Those by which progress is seen."""
        ...


def source(recipe: Rl) -> Source:
    levels = dict.fromkeys([*recipe.curriculum.levels, *(recipe.held_out.levels or ())])
    if recipe.tasks.own is not None:
        return Own(recipe.tasks.own, recipe.held_out.count, tuple(recipe.curriculum.levels))
    return Drawn(recipe.tasks, recipe.held_out, tuple(levels), recipe.out / HELD_OUT)


def task_of(made: dict) -> Task:
    """A row of the synthesiser as a task."""
    return Task.functional(made["id"], made["source"], made["level"], made["program"], tuple(made["ops"]))


class Drawn:
    """Programs without end. Those that are held out are kept in a file: they take a while to draw."""

    counts: Mapping[int, int] = {}

    def __init__(self, tasks: Tasks, curve: HeldOutCurve, levels: tuple[int, ...], kept: Path) -> None:
        self._tasks, self._curve, self._levels, self._kept = tasks, curve, levels, kept
        self.task = lru_cache(MOST_KEPT)(self._task)

    def _task(self, level: int, number: int) -> Task | None:
        tasks = self._tasks
        rng = random.Random(derive_seed("rl", tasks.seed, level, number))
        config = Config(
            level, tasks.seed, drawn(tasks.profiles, rng), views=drawn(tasks.views, rng),
            dtype=drawn(tasks.dtypes, rng),
        )  # fmt: skip
        made = program(config, number)
        return None if made.program_id in self._never else task_of(row(config, number, made))

    def held_out(self, level: int) -> list[Task]:
        return self._curves[level]

    @cached_property
    def _curves(self) -> dict[int, list[Task]]:
        curve = self._curve
        return {
            level: [task_of(each) for each in rows(Config(level, curve.seed, curve.profile), curve.count)]
            for level in self._levels
        }

    @cached_property
    def _never(self) -> frozenset[str]:
        if not self._kept.exists():
            threads = torch.get_num_threads()
            wanted = self._tasks.held_out
            total = wanted.count * len(wanted.levels) * len(wanted.profiles) * len(wanted.seeds)
            found = held_out_ids(wanted, workers_for(total))
            torch.set_num_threads(threads)  # as a run has them that finds the file: sums depend on it
            files.write_whole(self._kept, json.dumps(sorted(found)).encode())
        curves = (task.id for tasks in self._curves.values() for task in tasks)
        return frozenset([*json.loads(self._kept.read_bytes()), *curves])


class Own:
    """Tasks that a user names. Of each level some are held out, a quarter at most; a task that says no level
    is of the first one."""

    def __init__(self, spec: str, num_held_out: int, levels: tuple[int, ...]) -> None:
        found: defaultdict[int, list[Task]] = defaultdict(list)
        for _, task in load_each(spec):
            if isinstance(task, Task):
                found[task.level or levels[0]].append(task)
            else:
                LOG.warning("left out: %s", task)
        if missing := [level for level in levels if len(found[level]) < 2]:
            raise UserError(f"{spec}: level {missing[0]} of the curriculum needs two tasks, one to hold out")
        self._held_out: dict[int, list[Task]] = {}
        self._taught: dict[int, list[Task]] = {}
        for level, tasks in found.items():
            tasks.sort(key=lambda task: derive_seed("held out", task.id))
            count = min(num_held_out, max(1, len(tasks) // 4))
            self._held_out[level], self._taught[level] = tasks[:count], tasks[count:]
        self.counts: Mapping[int, int] = {level: len(tasks) for level, tasks in self._taught.items()}

    def task(self, level: int, number: int) -> Task | None:
        return self._taught[level][number]

    def held_out(self, level: int) -> list[Task]:
        return self._held_out.get(level, [])


@dataclass(frozen=True)
class Asked:
    """A task as the model is asked it."""

    task: Task
    prompt: Prompt
    question: Question | None = None
    """For a model that knows programs alone."""

    def answer(self, text: str) -> str:
        """What the model wrote, as an answer to the task."""
        return self.question.answer(text) if self.question else text


class Asker:
    """Puts tasks into the form in which the model is asked; None for one that cannot be asked."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, asks_program: bool, longest: int, zygotes: Zygotes | None
    ) -> None:
        self._tokenizer, self._asks_program = tokenizer, asks_program
        self._longest, self._zygotes = longest, zygotes

    def ask(self, task: Task) -> Asked | None:
        question = None
        if self._asks_program:
            try:
                question = Question.of(task, self._zygotes)
            except TaskError:
                return None
            if question.hindrance:
                return None
            made = program_prompt(self._tokenizer, question.program)
        else:
            made = prompt(self._tokenizer, task)
        return Asked(task, made, question) if len(made.tokens) <= self._longest else None
