"""`Piece`: a program that is a fragment of others, and the best kernel that is known for it.

Pieces are shared by all searches of a run, so that a program is solved once however often it occurs. What the
library has comes first and is judged again; after that the policy is asked, as often as a search allows.
"""

import threading
from dataclasses import dataclass, field
from functools import partial

from tritonrl.errors import UserError
from tritonrl.policy import Proposal
from tritonrl.program import Program, emit
from tritonrl.program.fragment import Fragment
from tritonrl.search.found import Candidate
from tritonrl.search.library import Entry, Library
from tritonrl.tasks import Task
from tritonrl.verify import Settings
from tritonrl.verify.judge import versions

FIRST_LOOK = 2
"""Samples of a piece where speed is measured, before it is known whether it is wanted at all."""
LIBRARY = "library"
"""The source of a kernel that nobody had to write."""
CHECKED_CALLS = 6
"""Of a kernel that was verified here before."""


@dataclass(frozen=True)
class Kernel:
    """Code for a piece that was accepted."""

    plan: str | None
    code: str
    source: str
    """Who wrote it, or LIBRARY."""
    times_us: tuple[float, float] | None = None
    """A call of PyTorch's own, and one of this; None where speed is not measured."""

    @property
    def saving_us(self) -> float | None:
        return None if self.times_us is None else self.times_us[0] - self.times_us[1]


@dataclass(eq=False)
class Piece:
    program: Program
    settings: Settings
    """How its kernels are judged."""
    device: str
    """As the library names it."""
    library: Library
    model: str
    candidates: list[Candidate] = field(default_factory=list)
    kernel: Kernel | None = None
    num_asked: int = 0
    failure: UserError | None = None
    """Of the library, which could not be written."""
    _known: list[Entry] | None = None
    """Of the library, not yet tried."""
    _under_way: list[Candidate] = field(default_factory=list)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        name, program = f"fragment-{self.program.program_id}", self.program
        self.task = Task.functional(
            name, emit(program), level=program.level, program=program.to_json(), ops=program.ops
        )

    @property
    def is_under_way(self) -> bool:
        return bool(self._under_way)

    def more(self, samples: int) -> list[Candidate]:
        """What to try next, of so many samples in all: a kernel of the library, else new ones. None where
        there is nothing left, or somebody else waits for it already."""
        if self.is_under_way:
            return []
        if entries := self._known_entries():
            self._under_way = [self._again(entries.pop())]
        else:
            count = min(FIRST_LOOK if self.settings.timing else 1, samples - self.num_asked)
            first, self.num_asked = self.num_asked, self.num_asked + max(count, 0)
            self._under_way = [
                Candidate(self.task, self.settings, sample, then=self._judged)
                for sample in range(first, self.num_asked)
            ]
        self.candidates += self._under_way
        return list(self._under_way)

    def settle(self) -> None:
        """Nothing is under way any more; a `UserError` if the library could not keep what was found."""
        self._under_way = []
        if self.failure:
            raise self.failure

    def _judged(self, candidate: Candidate, entry: Entry | None = None) -> None:
        """Keep a kernel that is accepted, here and in the library; forget one that does not stand the
        test."""
        verdict, completion = candidate.verdict, candidate.completion
        if verdict is None or completion is None or completion.code is None:
            return
        with self._one_at_a_time:
            try:
                if verdict.accepted:
                    plan, source = (entry.plan, LIBRARY) if entry else (completion.plan, self.model)
                    self._keep(Kernel(plan, completion.code, source, _times(candidate, entry)))
                    if entry is None or not self._is_same(entry):
                        who = entry.model if entry else self.model
                        made = Entry.of(self.program, self.device, who, plan, completion.code, verdict)
                        self.library.put(made)
                elif entry and entry.device == self.device:
                    self.library.drop(entry)
            except UserError as error:
                self.failure = error

    def is_open(self, samples: int) -> bool:
        """Whether another candidate could be worth having, of so many samples in all."""
        if self.kernel and (self.kernel.times_us is None or self.kernel.source == LIBRARY):
            return False
        return bool(self._known_entries()) or self.num_asked < samples

    @property
    def rejection(self) -> str | None:
        """Why the last candidate was not taken."""
        for each in reversed(self.candidates):
            if each.error:
                return each.error
            if each.verdict and each.verdict.rejection:
                return each.verdict.rejection.message
        return None

    def _known_entries(self) -> list[Entry]:
        """Of the library, not yet tried: the one that was judged here, or else the fastest."""
        if self._known is None:
            found = self.library.find(self.program, self.settings.precision)
            self._known = [each for each in found if self._is_same(each)][:1] or found[:1]
        return self._known

    def _is_same(self, entry: Entry) -> bool:
        """Whether it was judged where and by what this one is."""
        is_timed = entry.times_us is not None or not self.settings.timing
        return entry.device == self.device and entry.versions == versions() and is_timed

    def _again(self, entry: Entry) -> Candidate:
        """A candidate that was one before."""
        settings = self.settings
        if self._is_same(entry):
            changed = {
                "timing": False,
                "num_calls": min(CHECKED_CALLS, settings.num_calls),
                "lint_seconds": 0.0,
            }
            settings = settings.model_copy(update=changed)
        then = partial(self._judged, entry=entry)
        return Candidate(self.task, settings, 0, Proposal(0, entry.code), then=then)

    def _keep(self, kernel: Kernel) -> None:
        old, new = self.kernel and self.kernel.saving_us, kernel.saving_us
        if self.kernel is None or (new is not None and (old is None or new > old)):
            self.kernel = kernel


@dataclass(frozen=True)
class Place:
    """One occurrence of a piece."""

    fragment: Fragment
    piece: Piece
    guess_us: float
    """What it could save."""

    @property
    def name(self) -> str:
        return "·".join(self.fragment.program.ops)

    @property
    def saving_us(self) -> float | None:
        """Measured where it was, the guess where speed is not; None without a kernel."""
        if self.piece.kernel is None:
            return None
        measured = self.piece.kernel.saving_us
        return self.guess_us if measured is None else measured

    @property
    def outcome(self) -> str:
        times = self.piece.kernel and self.piece.kernel.times_us
        if not times:
            return "was accepted" if self.piece.kernel else "was not accepted"
        return f"takes {times[1]:.1f} µs where PyTorch takes {times[0]:.1f}"


def _times(candidate: Candidate, entry: Entry | None) -> tuple[float, float] | None:
    """As they were measured now, or when the entry was made."""
    verdict = candidate.verdict
    if entry is not None and not candidate.settings.timing:
        return entry.times_us
    if verdict is None or verdict.timing is None or verdict.speedup is None:
        return None
    return verdict.timing.baselines["eager"].wall_us, verdict.timing.wall_us
