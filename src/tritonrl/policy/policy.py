"""`Policy`: one interface for all who write kernels. What they give is text; nothing is believed of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tritonrl.tasks import Task
from tritonrl.verify import Verdict


@dataclass(frozen=True)
class Proposal:
    """One answer to a task, or why there is none."""

    sample: int
    text: str | None = None
    """Plan and code, or code alone; None where there is no answer."""
    error: str | None = None
    blames_task: bool = False
    """Whether it is the task that does not work."""
    ops: tuple[str, ...] | None = None
    """Operators of the task, where they were found out on the way."""
    seconds: float = 0.0
    tokens_in: int | None = None
    tokens_out: int | None = None
    """As an endpoint counts them; None where nobody does."""


Hear = Callable[[int, str], None]
"""Is told a sample and the next piece of its text, as it is written; perhaps by another thread."""


def unheard(sample: int, piece: str) -> None:
    """For a caller who waits until an answer is whole."""


class Policy(Protocol):
    @property
    def scope(self) -> str:
        """What it can and cannot do, in a sentence for its user."""
        ...

    def note(self, task: Task) -> str | None:
        """What its user should know before it tries this task; None where that is nothing."""
        ...

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        """An answer for each of these samples, the likeliest first."""
        ...


@runtime_checkable
class WritesTogether(Protocol):
    """A policy that is faster with many tasks at a time."""

    @property
    def writes_on_gpu(self) -> bool:
        """Whether nobody should be timed there meanwhile."""
        ...

    def propose_together(
        self, asked: Iterable[tuple[Task, Sequence[int]]]
    ) -> Iterator[tuple[Task, Proposal]]:
        """An answer for each of these samples of these tasks, in any order."""
        ...


@runtime_checkable
class ReadsFindings(Protocol):
    """A policy that can mend an answer by what was found in it."""

    def revise(
        self, task: Task, earlier: str, verdict: Verdict, sample: int, hear: Hear = unheard
    ) -> Proposal:
        """A better answer than the earlier one."""
        ...


def propose_each(
    policy: Policy, asked: Iterable[tuple[Task, Sequence[int]]]
) -> Iterator[tuple[Task, Proposal]]:
    """Answers to many tasks, by whichever way the policy is faster."""
    if isinstance(policy, WritesTogether):
        yield from policy.propose_together(asked)
        return
    for task, samples in asked:
        yield from ((task, each) for each in policy.propose(task, samples))
