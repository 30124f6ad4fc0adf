"""`Strategy`: one interface for all ways to search.

A strategy is a generator: it yields the candidates that it wants to know about, and goes on when they are
asked for and judged. So many searches can go on side by side, step by step: what they ask of a policy
is asked together, and a kernel that several need is found once.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cache

from tritonrl.policy import Policy, Proposal
from tritonrl.policy.programs import Question, Questions
from tritonrl.program import Program
from tritonrl.search.budget import Budget
from tritonrl.search.found import Candidate, Found
from tritonrl.search.fragments.piece import Piece
from tritonrl.search.library import Library

OF_FRAGMENTS = {"policy": "full", "baseline": "eager", "judge": None, "looks_close": False}
"""How a fragment is judged, where the whole may be judged otherwise: all of it is to be in Triton."""

Wave = list[Candidate]
Strategy = Callable[["Search"], Generator[Wave, None, None]]


@dataclass(eq=False)
class Search:
    """One task, and what a strategy may use for it."""

    found: Found
    policy: Policy
    samples: int
    """Candidates for each question: the task, or a fragment of it."""
    questions: Questions
    budget: Budget = field(default_factory=Budget)
    library: Library = field(default_factory=Library)
    model: str = "?"
    """The name of who writes."""
    width: int = 8
    """Pieces to solve at a time, so that a pool of judges has enough to do; one of many searches needs
    less."""
    pieces: dict[str, Piece] = field(default_factory=dict)
    """By `program_id`; searches that go on side by side share it."""

    def question(self) -> Question:
        """The task as a program; a `UserError` where that cannot be."""
        return self.questions.of(self.found.task)

    def piece(self, program: Program) -> Piece:
        """That of a fragment's program."""
        if program.program_id not in self.pieces:
            settings = self.found.settings.model_copy(update=OF_FRAGMENTS)
            device = device_name(settings.device)
            made = Piece(program, settings, device, self.library, self.model)
            self.pieces[program.program_id] = made
        return self.pieces[program.program_id]

    def whole(self, sample: int, proposal: Proposal | None = None) -> Candidate:
        """A candidate for the task itself. Candidates are compared by one baseline; the file that comes of
        the best is measured against all that are asked for."""
        settings = self.found.settings
        if settings.baseline == "both":
            settings = settings.model_copy(update={"baseline": "eager"})
        return Candidate(self.found.task, settings, sample, proposal)


@cache
def device_name(device: str) -> str:
    """What kernels that are measured on it are kept for."""
    if device == "cpu":
        return device
    import torch

    return torch.cuda.get_device_name(device)
