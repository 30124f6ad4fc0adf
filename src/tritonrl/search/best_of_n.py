"""Best of n: ask a policy for n answers to a task, judge all, keep the fastest that is accepted.

    found = best_of_n(task, policy, 8, settings, zygotes=zygotes)

Without a GPU speed is not measured, and the likeliest accepted one is kept: sample 0, if it is. An interrupt
leaves what was found until then.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from tritonrl.policy import Policy, Proposal
from tritonrl.tasks import Task
from tritonrl.verify import Judged, Settings, Verdict, Zygotes, verify_many
from tritonrl.verify.completion import Completion


@dataclass
class Candidate:
    """One answer and what became of it."""

    proposal: Proposal
    judged: Judged | None = None
    whole: Verdict | None = None
    """On the file that it became, guard included."""

    @cached_property
    def completion(self) -> Completion | None:
        return None if self.proposal.text is None else Completion.of_text(self.proposal.text)

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
    interrupted: bool = False

    @property
    def accepted(self) -> list[Candidate]:
        return [each for each in self.candidates if each.is_accepted]

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


def best_of_n(
    task: Task,
    policy: Policy,
    n: int,
    settings: Settings,
    *,
    zygotes: Zygotes,
    changed: Callable[[Found], None] = lambda found: None,
) -> Found:
    """`changed` is called whenever there is more to see."""
    found = Found(task, settings)
    try:
        for proposal in policy.propose(task, range(n)):
            found.candidates.append(Candidate(proposal))
            changed(found)
        _judge(found, zygotes, changed)
    except KeyboardInterrupt:
        found.interrupted = True
    return found


def _judge(found: Found, zygotes: Zygotes, changed: Callable[[Found], None]) -> None:
    asked = [each for each in found.candidates if each.proposal.text is not None]
    answers = [each.completion for each in asked if each.completion]
    tasks = [found.task] * len(answers)
    for judged in verify_many(tasks, answers, found.settings, zygotes=zygotes):
        asked[judged.number].judged = judged
        changed(found)
