"""Tasks with honest kernels for them, in any number: the synthesiser's programs and the composer's answers.

for made in itertools.islice(programs((1, 2, 3), seed=0), 12):
    task, candidates = as_task(made), answers(made, 8)
"""

import itertools
import random
from collections.abc import Iterator, Sequence

from tritonrl.program import Program, emit
from tritonrl.synth import Config, program
from tritonrl.tasks import Task
from tritonrl.teach.composer import Composer
from tritonrl.verify import Completion

DRAWS_AN_ANSWER = 4
"""A program of few choices gives the same text again and again."""


def programs(levels: Sequence[int], seed: int) -> Iterator[Program]:
    """Distinct programs of the gpu profile, the levels in turn, without end."""
    seen: set[str] = set()
    for number, level in enumerate(itertools.cycle(levels)):
        made = program(Config(level, seed, "gpu"), number)
        if made.program_id not in seen:
            seen.add(made.program_id)
            yield made


def as_task(program: Program) -> Task:
    return Task.functional(program.program_id, emit(program), program.level, program.to_json())


def answers(program: Program, count: int) -> list[str]:
    """The code that is likely the fastest, then others as they are drawn; fewer where there are no more."""
    composer, rng = Composer(program), random.Random(program.program_id)
    drawn = (composer.answer(rng) for _ in range(DRAWS_AN_ANSWER * count))
    texts = itertools.islice(dict.fromkeys([composer.answer(), *drawn]), count)
    return [code for text in texts if (code := Completion.parse(text).code)]
