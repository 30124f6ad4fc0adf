"""`Piece`: a program that is a fragment of others, and the best kernel that is known for it.

Pieces are shared by all searches of a run, so that a program is solved once however often it occurs. What the
library has comes first and is judged again; after that the policy is asked, as often as a search allows.
"""

from dataclasses import dataclass, field

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
    _known: list[Entry] | None = None
    """Of the library, not yet tried."""
    _given: dict[Candidate, Entry | None] = field(default_factory=dict)
    """Candidates that are under way, and the entry that one was."""

    def __post_init__(self) -> None:
        name = f"fragment-{self.program.program_id}"
        program = self.program
        self.task = Task.functional(
            name, emit(program), level=program.level, program=program.to_json(), ops=program.ops
        )

    @property
    def is_under_way(self) -> bool:
        return bool(self._given)

    def more(self, samples: int) -> list[Candidate]:
        """What to try next, of so many samples in all: a kernel of the library, else new ones. None where
        there is nothing left, or somebody else waits for it already."""
        if self.is_under_way:
            return []
        made: dict[Candidate, Entry | None]
        if entries := self._known_entries():
            entry = entries.pop()
            made = {self._again(entry): entry}
        else:
            count = min(FIRST_LOOK if self.settings.timing else 1, samples - self.num_asked)
            first, self.num_asked = self.num_asked, self.num_asked + max(count, 0)
            made = {Candidate(self.task, self.settings, n): None for n in range(first, self.num_asked)}
        self._given = made
        self.candidates += made
        return list(made)

    def settle(self) -> None:
        """Take what became of those under way."""
        for candidate, entry in self._given.items():
            verdict, completion = candidate.verdict, candidate.completion
            if verdict and verdict.accepted and completion and completion.code:
                times = _times(candidate, entry)
                source = self.model if entry is None else LIBRARY
                self._keep(Kernel(completion.plan, completion.code, source, times))
                if entry is None or entry.versions != versions() or entry.device != self.device:
                    self.library.put(
                        Entry.of(
                            self.program, self.device, entry.model if entry else self.model,
                            completion.plan, completion.code, verdict,
                        )
                    )  # fmt: skip
            elif entry is not None and verdict and entry.device == self.device:
                self.library.drop(entry)  # it was accepted once, and is not what it was
        self._given = {}

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
        proposal = Proposal(0, entry.code)
        settings = self.settings
        if self._is_same(entry):
            changed = {
                "timing": False,
                "num_calls": min(CHECKED_CALLS, settings.num_calls),
                "lint_seconds": 0.0,
            }
            settings = settings.model_copy(update=changed)
        return Candidate(self.task, settings, 0, proposal)

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
