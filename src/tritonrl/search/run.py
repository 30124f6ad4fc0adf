"""Run searches side by side: what their strategies want is asked of the policy, judged, and given back.

    found = Found(task, settings)
    with judging(settings, zygotes=zygotes, tell=…) as hands:
        for search in Runner(policy).run([(Search(found, policy, 8, Questions(zygotes)), best_of_n)], hands):
            …                                      # has come to its end

Answers are judged as they come, while the policy writes others; only one that writes on the GPU is let finish
first where speed is measured there. An interrupt ends the budget of a search: what was found stays, and what
follows from it is still done. A second one ends that, too.
"""

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait

from tritonrl.policy import Hear, Policy, Proposal, propose_each, unheard
from tritonrl.policy.policy import ReadsFindings, WritesTogether
from tritonrl.search.found import Candidate
from tritonrl.search.strategies.strategy import Search, Strategy, Wave
from tritonrl.tasks import Task
from tritonrl.verify import Judged
from tritonrl.verify.pool import Hands
from tritonrl.verify.verdict import Layer

Step = tuple[Search, Wave]


class Runner:
    """Who asks and judges for all searches. `tell` is what the hands report to; `finishes` says whether
    searches that are interrupted go on with what they have."""

    def __init__(self, policy: Policy, *, finishes: bool = True) -> None:
        self._policy, self._finishes = policy, finishes
        self._numbers = itertools.count()
        self._told: dict[int, Candidate] = {}

    def tell(self, number: int, layer: Layer) -> None:
        if candidate := self._told.get(number):
            candidate.layers.append(layer)

    def run(
        self, searches: Sequence[tuple[Search, Strategy]], hands: Hands, *, listens: bool = False
    ) -> Iterator[Search]:
        """Fill in what is found, and give each search when it has ended. Whoever looks at it meanwhile may
        want to listen to the policy as it writes."""
        going = [(search, strategy(search)) for search, strategy in searches]
        while going:
            steps: list[Step] = []
            for search, strategy in list(going):
                wave = next(strategy, None)
                if wave is None:
                    going.remove((search, strategy))
                    yield search
                else:
                    steps.append((search, wave))
            self._fill(steps, hands, listens)

    def _fill(self, steps: list[Step], hands: Hands, listens: bool) -> None:
        judged: list[Future[Judged]] = []
        try:
            for candidate, search in self._written(steps, listens):
                judged.append(self._judge(candidate, search, hands))
            _wait(judged, steps)
        except KeyboardInterrupt:
            for search, _ in steps:
                search.found.interrupted = True
                search.budget.stop()
            for each in judged:
                each.cancel()
            if not self._finishes:
                raise
            wait(judged)  # for those that are begun

    def _judge(self, candidate: Candidate, search: Search, hands: Hands) -> Future[Judged]:
        number = next(self._numbers)
        assert candidate.completion is not None
        self._told[number] = candidate
        future = hands.submit(number, candidate.task, candidate.completion, candidate.settings)

        def take(future: Future[Judged]) -> None:
            candidate.take(future)
            search.found.look(search.budget.elapsed)

        future.add_done_callback(take)
        return future

    def _written(self, steps: list[Step], listens: bool) -> Iterator[tuple[Candidate, Search]]:
        """Candidates that have an answer, as they get it."""
        searches = {candidate: search for search, wave in steps for candidate in wave}
        if not searches:
            return
        ready = [each for each in searches if each.proposal]
        for each in ready:
            _show(each, searches[each])
        written = self._asked(searches, listens)
        writes_on_gpu = isinstance(self._policy, WritesTogether) and self._policy.writes_on_gpu
        if writes_on_gpu and any(each.settings.timing for each in searches):
            written = iter(list(written))
        for each in itertools.chain(ready, written):
            if each.completion:
                yield each, searches[each]

    def _asked(self, searches: dict[Candidate, Search], listens: bool) -> Iterator[Candidate]:
        wanted = [each for each in searches if each.proposal is None]
        plain = [each for each in wanted if each.after is None]
        hear = next(iter(searches.values())).found.hear if listens else unheard
        by_sample = {(each.task.id, each.sample): each for each in plain}
        for task, proposal in self._proposed(plain, hear):
            each = by_sample[task.id, proposal.sample]
            each.proposal = proposal
            yield _show(each, searches[each])
        for each in wanted:
            if each.after is not None:
                each.proposal = self._revised(each, hear)
                yield _show(each, searches[each])

    def _proposed(self, wanted: Wave, hear: Hear) -> Iterator[tuple[Task, Proposal]]:
        tasks: dict[str, tuple[Task, list[int]]] = {}
        for each in wanted:
            tasks.setdefault(each.task.id, (each.task, []))[1].append(each.sample)
        if len(tasks) == 1:
            ((task, samples),) = tasks.values()
            yield from ((task, each) for each in self._policy.propose(task, samples, hear))
        elif tasks:
            yield from propose_each(self._policy, tasks.values())

    def _revised(self, each: Candidate, hear: Hear) -> Proposal:
        after = each.after
        assert isinstance(self._policy, ReadsFindings)
        assert after is not None
        assert after.completion is not None
        assert after.verdict is not None
        return self._policy.revise(each.task, after.completion.text, after.verdict, each.sample, hear)


def _show(candidate: Candidate, search: Search) -> Candidate:
    """Among what is found, if it is an answer to the task itself."""
    if candidate.task is search.found.task:
        search.found.writing.pop(candidate.sample, None)
        search.found.candidates.append(candidate)
    return candidate


def _wait(judged: list[Future[Judged]], steps: list[Step]) -> None:
    """Until all are judged, or time is up: then for those that are begun."""
    left = [search.budget.seconds_left for search, _ in steps]
    limit = None if None in left else max((each for each in left if each is not None), default=None)
    _, late = wait(judged, limit)
    for each in late:
        each.cancel()
    wait(late)
