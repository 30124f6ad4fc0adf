"""The composer as a policy: for programs, and for modules that can be captured."""

import random
import time
from collections.abc import Iterable, Iterator, Sequence

from tritonrl.policy import Hear, Proposal, unheard
from tritonrl.policy.programs import Question, Questions, refusals
from tritonrl.synth.generate import derive_seed
from tritonrl.tasks import Task, TaskError
from tritonrl.teach.composer.compose import Composer, NotComposed
from tritonrl.verify import Zygotes


class ComposerPolicy:
    """Sample 0 is what the cost rule likes best; others are drawn."""

    scope = (
        "the composer writes by rule, for modules and functions of operators in its table "
        "(docs/programs.md), all of them in Triton; it knows no other operator and learns nothing"
    )

    writes_on_gpu = False

    def __init__(self, seed: int, zygotes: Zygotes) -> None:
        self._seed, self._questions = seed, Questions(zygotes)

    def note(self, task: Task) -> str | None:
        return None

    def propose_together(
        self, asked: Iterable[tuple[Task, Sequence[int]]]
    ) -> Iterator[tuple[Task, Proposal]]:
        asked = list(asked)
        self._questions.foresee([task for task, _ in asked])
        for task, samples in asked:
            yield from ((task, each) for each in self.propose(task, samples))

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        began = time.perf_counter()
        try:
            question = self._questions.of(task)
            composer = composer_for(question)
        except (NotComposed, TaskError) as error:
            yield from refusals(samples, error)
            return
        for sample in samples:
            rng = random.Random(derive_seed("composer", self._seed, task.id, sample)) if sample else None
            text = question.answer(composer.answer(rng))
            hear(sample, text)
            seconds, began = time.perf_counter() - began, time.perf_counter()
            yield Proposal(sample, text, ops=question.ops, seconds=round(seconds, 4))


def composer_for(question: Question) -> Composer:
    """What writes a program's answers; a function may do anything that there is a strategy for."""
    if question.task.kind != "functional" and (reason := question.hindrance):
        raise NotComposed(f"the composer writes no module that {reason}")
    return Composer(question.program)
