"""Best of n: ask a policy for n answers to a task, judge all, keep the fastest that is accepted.

    found = Found(task, settings)
    with judging(settings, tell=found.tell) as hands:
        best_of_n(found, policy, 8, hands)

Answers are judged as they come, while the policy writes others. Without a GPU speed is not measured, and the
likeliest accepted one is kept: sample 0, if it is. An interrupt leaves what was found until then.
"""

from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cached_property

from tritonrl.policy import Policy, Proposal, unheard
from tritonrl.tasks import Task
from tritonrl.verify import Judged, Settings, Verdict
from tritonrl.verify.completion import Completion
from tritonrl.verify.pool import Hands
from tritonrl.verify.verdict import Layer


@dataclass
class Candidate:
    """One answer and what became of it."""

    proposal: Proposal
    judged: Judged | None = None
    layers: list[Layer] = field(default_factory=list)
    """Those that it is through, while it is judged."""
    whole: Verdict | None = None
    """On the file that it became, guard included."""

    @cached_property
    def completion(self) -> Completion | None:
        return None if self.proposal.text is None else Completion.of_text(self.proposal.text)

    def take(self, judged: Future[Judged]) -> None:
        self.judged = None if judged.cancelled() else judged.result()

    @property
    def verdict(self) -> Verdict | None:
        return self.judged.verdict if self.judged else None

    @property
    def error(self) -> str | None:
        """Why there is no verdict; None while it is being judged."""
        return self.proposal.error or (str(self.judged.error) if self.judged and self.judged.error else None)

    @property
    def is_accepted(self) -> bool:
        return self.verdict is not None and self.verdict.accepted


@dataclass
class Found:
    """All candidates, as far as they have come."""

    task: Task
    settings: Settings
    candidates: list[Candidate] = field(default_factory=list)
    writing: dict[int, str] = field(default_factory=dict)
    """What is heard of the samples that are not there yet."""
    note: str | None = None
    """What the policy says of the task beforehand."""
    interrupted: bool = False

    def hear(self, sample: int, piece: str) -> None:
        self.writing[sample] = self.writing.get(sample, "") + piece

    def tell(self, number: int, layer: Layer) -> None:
        """Of a candidate; its file, which has no number of a candidate, is not told of."""
        if number < len(self.candidates):
            self.candidates[number].layers.append(layer)

    @property
    def accepted(self) -> list[Candidate]:
        """The likeliest first."""
        return sorted((each for each in self.candidates if each.is_accepted), key=_sample)

    @property
    def best(self) -> Candidate | None:
        """The one worth having: where speed is measured, one that is faster than PyTorch."""
        if not self.settings.timing:
            return next(iter(self.accepted), None)
        fastest = max(self.accepted, key=_speedup, default=None)
        return fastest if fastest and _speedup(fastest) > 1.0 else None


def _speedup(candidate: Candidate) -> float:
    """Zero where it is not known."""
    return (candidate.verdict and candidate.verdict.speedup) or 0.0


def _sample(candidate: Candidate) -> int:
    return candidate.proposal.sample


def best_of_n(found: Found, policy: Policy, n: int, hands: Hands, *, listens: bool = False) -> None:
    """Fill in what is found. Whoever looks at it meanwhile may want to listen to the policy as it writes."""
    judged: list[Future[Judged]] = []
    try:
        found.note = policy.note(found.task)
        for proposal in policy.propose(found.task, range(n), found.hear if listens else unheard):
            found.writing.pop(proposal.sample, None)
            candidate = Candidate(proposal)
            found.candidates.append(candidate)
            if candidate.completion:
                judged.append(hands.submit(len(found.candidates) - 1, found.task, candidate.completion))
                judged[-1].add_done_callback(candidate.take)
        wait(judged)
    except KeyboardInterrupt:
        found.interrupted = True
        for each in judged:
            each.cancel()
        wait(judged)  # for those that are begun
