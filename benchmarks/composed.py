"""Tasks with honest kernels for them, in any number: the synthesiser's programs and the composer's answers.

for made in programs((1, 2, 3), count=12, seed=0):
    task, candidates = as_task(made), answers(made, 8)
"""

import itertools
import random
from collections.abc import Sequence

from tritonrl.program import Program, emit
from tritonrl.synth import Config, program
from tritonrl.tasks import Task
from tritonrl.teach.composer import Composer
from tritonrl.verify import Completion

DRAWS_AN_ANSWER = 4
"""A program of few choices gives the same text again and again."""


def programs(levels: Sequence[int], count: int, seed: int) -> list[Program]:
    """Distinct programs of the gpu profile, the levels in turn."""
    made: dict[str, Program] = {}
    for number in itertools.count():
        if len(made) == count:
            break
        each = program(Config(levels[number % len(levels)], seed, "gpu"), number)
        made.setdefault(each.program_id, each)
    return list(made.values())


def as_task(program: Program) -> Task:
    return Task.functional(program.program_id, emit(program), program.level, program.to_json())


def answers(program: Program, count: int) -> list[str]:
    """The code that is likely the fastest, then others as they are drawn; fewer where there are no more."""
    composer, rng = Composer(program), random.Random(program.program_id)
    drawn = (composer.answer(rng) for _ in range(DRAWS_AN_ANSWER * count))
    texts = itertools.islice(dict.fromkeys([composer.answer(), *drawn]), count)
    return [code for text in texts if (code := Completion.parse(text).code)]
