"""The composer as a policy: for programs, and for modules that can be captured."""

import random
import time
from collections.abc import Iterator, Sequence

from tritonrl.policy import Hear, Proposal, unheard
from tritonrl.program import Program
from tritonrl.synth.generate import derive_seed
from tritonrl.tasks import Task, TaskError
from tritonrl.teach.composer.compose import Composer, NotComposed
from tritonrl.teach.composer.module import ModuleComposer
from tritonrl.verify import Zygotes
from tritonrl.verify.capturing import capture_task


class ComposerPolicy:
    """Sample 0 is what the cost rule likes best; others are drawn."""

    scope = (
        "the composer writes by rule, for modules and functions of operators in its table "
        "(docs/programs.md), all of them in Triton; it knows no other operator and learns nothing"
    )

    def __init__(self, seed: int, zygotes: Zygotes) -> None:
        self._seed, self._zygotes = seed, zygotes

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        began = time.perf_counter()
        try:
            composer, ops = self._composer(task)
        except (NotComposed, TaskError) as error:
            blames_task = isinstance(error, TaskError)
            yield from (Proposal(each, error=str(error), blames_task=blames_task) for each in samples)
            return
        for sample in samples:
            rng = random.Random(derive_seed("composer", self._seed, task.id, sample)) if sample else None
            text = composer.answer(rng)
            hear(sample, text)
            seconds, began = time.perf_counter() - began, time.perf_counter()
            yield Proposal(sample, text, ops=ops, seconds=round(seconds, 4))

    def _composer(self, task: Task) -> tuple[Composer | ModuleComposer, tuple[str, ...]]:
        if task.kind == "functional" and task.program is not None:
            made = Program.from_json(task.program)
            return Composer(made), _ops(made)
        captured = capture_task(self._zygotes, task)
        if captured.random:
            raise TaskError(task.id, f"is random ({', '.join(captured.random)}), so no answer is right")
        if task.kind == "functional":
            return Composer(captured.program), _ops(captured.program)
        return ModuleComposer(task, captured), _ops(captured.program)


def _ops(program: Program) -> tuple[str, ...]:
    return tuple(node.op for node in program.nodes)
