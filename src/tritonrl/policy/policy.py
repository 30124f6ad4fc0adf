"""`Policy`: one interface for all who write kernels. What they give is text; nothing is believed of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tritonrl.tasks import Task


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

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        """An answer for each of these samples, the likeliest first."""
        ...
