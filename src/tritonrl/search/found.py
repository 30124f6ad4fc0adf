"""What a search has found: candidates and what became of them, as far as they have come."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tritonrl.policy import Proposal
from tritonrl.tasks import Task
from tritonrl.verify import Judged, Settings, Verdict
from tritonrl.verify.completion import Completion
from tritonrl.verify.verdict import Layer

if TYPE_CHECKING:
    from tritonrl.search.fragments.piece import Piece, Place


@dataclass(eq=False)
class Candidate:
    """One answer to a task, wanted or there, and what became of it."""

    task: Task
    settings: Settings
    """How it is judged."""
    sample: int = 0
    proposal: Proposal | None = None
    """None until a policy has answered; one that is there already is only judged."""
    after: "Candidate | None" = None
    """The one that this is to be better than: a policy is told what became of that."""
    then: "Callable[[Candidate], None] | None" = None
    """Hears of it at once when it is judged, from whichever thread."""
    judged: Judged | None = None
    layers: list[Layer] = field(default_factory=list)
    """Those that it is through, while it is judged."""
    whole: Verdict | None = None
    """On the file that it became, guard included."""

    @cached_property
    def completion(self) -> Completion | None:
        """Asked for when there is a proposal."""
        text = self.proposal.text if self.proposal else None
        return None if text is None else Completion.of_text(text)

    def take(self, judged: Future[Judged]) -> None:
        self.judged = None if judged.cancelled() else judged.result()
        if self.then and self.judged:
            self.then(self)

    @property
    def verdict(self) -> Verdict | None:
        return self.judged.verdict if self.judged else None

    @property
    def error(self) -> str | None:
        """Why there is no verdict; None while it is being judged."""
        refused = self.proposal.error if self.proposal else None
        return refused or (str(self.judged.error) if self.judged and self.judged.error else None)

    @property
    def is_accepted(self) -> bool:
        """It, and the file that it became if it has become one."""
        is_right = self.verdict is not None and self.verdict.accepted
        return is_right and (self.whole is None or self.whole.accepted)

    @property
    def speedup(self) -> float:
        """Zero where it is not known."""
        return (self.verdict and self.verdict.speedup) or 0.0


@dataclass
class Found:
    """Of one task."""

    task: Task
    settings: Settings
    candidates: list[Candidate] = field(default_factory=list)
    """Answers to the task, as they came."""
    pieces: "list[Piece]" = field(default_factory=list)
    """Programs that are parts of the task's, where a strategy takes it to pieces."""
    sets: "dict[int, tuple[Place, ...]]" = field(default_factory=dict)
    """By sample, the parts of a candidate that was put together."""
    writing: dict[int, str] = field(default_factory=dict)
    """What is heard of the samples that are not there yet."""
    history: list[tuple[float, float]] = field(default_factory=list)
    """Seconds since the search began, and the best speedup from then on."""
    note: str | None = None
    """What the policy says of the task beforehand."""
    reason: str | None = None
    """Why a strategy gave up, or what it saw, in a sentence."""
    interrupted: bool = False

    def hear(self, sample: int, piece: str) -> None:
        self.writing[sample] = self.writing.get(sample, "") + piece

    @property
    def accepted(self) -> list[Candidate]:
        """The likeliest first."""
        return sorted((each for each in self.candidates if each.is_accepted), key=lambda each: each.sample)

    @property
    def fastest(self) -> Candidate | None:
        """Of those that are accepted, however slow; where speed is not measured, the likeliest."""
        if not self.settings.timing:
            return next(iter(self.accepted), None)
        return max(self.accepted, key=lambda each: each.speedup, default=None)

    @property
    def best(self) -> Candidate | None:
        """The one worth having: where speed is measured, one that is faster than PyTorch."""
        fastest = self.fastest
        if fastest and self.settings.timing and fastest.speedup <= 1.0:
            return None
        return fastest

    def look(self, seconds: float) -> None:
        """Note how good the best is now."""
        best = self.best
        if best and best.speedup > (self.history[-1][1] if self.history else 0.0):
            self.history.append((round(seconds, 2), best.speedup))
