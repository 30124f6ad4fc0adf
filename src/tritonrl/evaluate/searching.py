"""A policy and a search as one policy: what it proposes for a task is the best that the search finds.

Searches of many tasks go on side by side, step by step: a fragment that several have is solved once, and what
all of them ask of a model is asked together. The best is given even where it is slower than PyTorch: that is
for the table to say.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tritonrl.policy import Hear, Policy, Proposal, unheard
from tritonrl.policy.programs import Questions
from tritonrl.search.budget import Budget
from tritonrl.search.found import Found
from tritonrl.search.fragments.piece import Piece
from tritonrl.search.library import Library
from tritonrl.search.run import Runner
from tritonrl.search.strategies import STRATEGIES, Search
from tritonrl.tasks import Task
from tritonrl.verify import Settings, Zygotes
from tritonrl.verify.pool import judging

AT_A_TIME = 64
"""Searches side by side; their exams are all on the device."""
WIDTH = 16
"""Pieces that all of them together solve at a time, at least."""
SAMPLES = 4
"""Candidates for each question of a search."""


class SearchPolicy:
    """One answer a task; a second sample would be another search."""

    writes_on_gpu = True

    def __init__(
        self, policy: Policy, name: str, settings: Settings, zygotes: Zygotes, *, model: str,
        budget: str | None, library: Library, workers: int | None,
    ) -> None:  # fmt: skip
        self._policy, self._name, self._settings, self._zygotes = policy, name, settings, zygotes
        self._model, self._budget, self._library, self._workers = model, budget, library, workers
        self._questions = Questions(zygotes)
        self.scope = f"{name} by: {policy.scope}"

    def note(self, task: Task) -> str | None:
        return self._policy.note(task)

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        yield from (proposal for _, proposal in self.propose_together([(task, samples)]))

    def propose_together(
        self, asked: Iterable[tuple[Task, Sequence[int]]]
    ) -> Iterator[tuple[Task, Proposal]]:
        waiting = [(task, sample) for task, samples in asked for sample in samples]
        with contextlib.ExitStack() as stack:
            runner = Runner(self._policy, finishes=False)
            hands = stack.enter_context(
                judging(
                    self._settings, workers=self._workers, tell=runner.tell,
                    zygotes=self._zygotes if self._settings.device == "cpu" else None,
                )
            )  # fmt: skip
            pieces: dict[str, Piece] = {}
            while waiting:
                now, waiting = waiting[:AT_A_TIME], waiting[AT_A_TIME:]
                searches = {self._search(task, len(now), pieces): sample for task, sample in now}
                strategy = STRATEGIES[self._name]
                self._questions.foresee([task for task, _ in now])
                for search in runner.run([(search, strategy) for search in searches], hands):
                    yield search.found.task, _proposal(search.found, searches[search])

    def _search(self, task: Task, count: int, pieces: dict[str, Piece]) -> Search:
        budget = Budget.parse(self._budget)
        if budget.seconds is not None:
            budget.seconds *= count  # they go on side by side
        return Search(
            Found(task, self._settings), self._policy, SAMPLES, self._questions, budget, self._library,
            self._model, width=-(-WIDTH // count), pieces=pieces,
        )  # fmt: skip


def _proposal(found: Found, sample: int) -> Proposal:
    best = found.fastest
    if best is None or best.proposal is None:
        refused = [each.proposal for each in found.candidates if each.proposal and each.proposal.error]
        if refused:
            return replace(refused[0], sample=sample)
        reason = found.reason or "nothing that the search found was accepted"
        return Proposal(sample, error=reason)
    return replace(best.proposal, sample=sample)
