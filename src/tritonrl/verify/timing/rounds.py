"""Rounds: those who are compared take turns, a batch of calls each, while nobody else uses the device.

Counts are chosen here before anything is measured, and are the same for all. Before each batch all inputs
are written anew; a batch of more calls than there are sets goes over them again. A few calls over a set of
their own lead into each batch, so that whoever is measured is awake and in its stride. What a batch without
calls takes the reference, of whose process everything is known, is taken off.

The cores of a shared machine have slow spells of some tenths of a second. Rounds are therefore measured in
visits, each on other cores than the last. What disturbs can only add, so the calmest visit counts, and those
that agree with it. But it adds to empty batches, too: the least of a visit's is taken off, and a visit in
which calls come out shorter than they can be counts only where there is no other.
"""

import contextlib
import math
import random
import secrets
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from tritonrl.verify.lending import Loan as Window
from tritonrl.verify.process import Death, Process
from tritonrl.verify.roles import DeviceFull, VerifierError, says_full
from tritonrl.verify.session import Raised, raise_for
from tritonrl.verify.timing.clock import Clock
from tritonrl.verify.timing.cores import on_reserved
from tritonrl.verify.timing.sets import NAME, Sets
from tritonrl.verify.timing.statistics import ratio

BATCH_SECONDS = 0.002
"""Of the faster: long against the clock's own noise, some tens of microseconds."""
FEW_CALLS, FEW_SECONDS = 3, 0.006
"""Of long calls a batch has so many, as far as they take no longer than this: the first of a batch waits for
the host, the others do not."""
MOST_FASTER = 4
"""Times as long as that, for a batch of the reference."""
LEAD_SHARE = 5
"""Of a batch, for the calls that lead into it."""
LONGEST_BATCH_SECONDS = 0.06
"""For one that is twenty times slower than the reference."""
NUM_WARM_UPS = 2
NUM_ROUNDS = 3
"""Of a visit. The samples of two visits enclose the median with 97 % confidence."""
LEAST_VISITS, MOST_VISITS = 2, 8
"""That agree, and in all."""
MOST_SPREAD = 0.03
"""Half the interval of a ratio, relative to it, beyond which another visit is made."""
MOST_NOISE = 0.10
"""The same, beyond which a ratio is no figure."""
SOME_VISITS = 4
"""After which no more are made for an interval that all of them would leave too wide: of 26 calls that the
host decides, four more visits brought it from 6.4 % to 5.6 %."""
AGREEING = 1.05
"""Times as long as the calmest visit, up to which another counts, too."""
STACK_STEP, NUM_STACKS = 256, 5
"""Bytes, and how many times them, by which stacks are larger; see `Timed.move_stack`."""
NUM_NOOPS = 3
NUM_PICKED = 2
"""Calls of a visit whose inputs and outputs are kept."""
MOST_SHOWN = LEAST_VISITS * NUM_PICKED
"""Of them that are checked, however many visits it takes: each is a run in float64, and memory until then."""
LEAST_CALLS, FIRST_CALLS, SOME_CALLS, MOST_CALLS = 1, 2, 16, 1024
"""Of a batch: the least and the most, and of those by which the count is found."""
SHORTEST_SECONDS = 1e-7


@dataclass
class Runner:
    """A process that makes timed calls. A candidate's failure is data, a baseline's is ours."""

    name: str
    process: Process
    seconds: float
    """Longest that one step may take."""
    is_candidate: bool = False
    samples: list[float] = field(default_factory=list)
    """Seconds of a call, a round each, of the visits that count."""
    set_aside: int = 0
    """Bytes of the L2 cache that it says it has set aside."""

    def prepare(self, sets: Sets) -> None:
        """Hand over the memory of the sets."""
        name = sets.hand_to(self._ask)
        self._ask({"do": "prepare", "arena": name, "sets": sets.places(), "structure": sets.structure})

    def move_stack(self, extra: int) -> None:
        """Have what its kernels keep on their stack at another place of the device's memory."""
        self._ask({"do": "move_stack", "extra": extra})

    def release(self) -> None:
        """Have it give the memory back."""
        self._ask({"do": "release", "arena": NAME})

    def batch(self, clock: Clock, calls: "Calls", lead: "Calls") -> float:
        """Seconds of these calls, right after those that lead into them, and of asking for them."""
        message, before = calls.message(), lead.message()
        with self._blamed():
            answer, elapsed = self.process.ask_by(clock, message, before, seconds=self.seconds)
            raise_for(answer)
            if answer.get("nonce") != message["nonce"]:
                self.process.end()
                raise Death("protocol", "answered something else than it was asked")
        claimed = answer.get("set_aside")
        self.set_aside = max(self.set_aside, claimed if type(claimed) is int else 1)
        return elapsed

    def show(self, number: int, window: Window) -> tuple[torch.Tensor, ...]:
        """The outputs of one call of the last batch."""
        for place in window.arena.places:
            window.arena.poison(place)
        window.arena.settle()
        self._ask({"do": "show", "number": number, "arena": window.name, "outputs": window.arena.places})
        taken = tuple(each.clone() for each in window.arena.tensors())
        window.arena.settle()
        return taken

    def device_seconds(self, count: int) -> float:
        return self._ask({"do": "device_seconds", "count": count})["seconds"]

    def _ask(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        with self._blamed():
            answer = self.process.ask(message, descriptors, seconds=self.seconds)
            raise_for(answer)
            return answer

    @contextlib.contextmanager
    def _blamed(self) -> Iterator[None]:
        try:
            yield
        except (Raised, Death) as failure:
            if self.is_candidate:
                raise
            kind = DeviceFull if isinstance(failure, Raised) and says_full(failure.error) else VerifierError
            raise kind(f"the {self.name} baseline cannot be timed: {failure}") from failure


@dataclass(frozen=True)
class Calls:
    """So many calls, over and over these sets."""

    count: int
    first_set: int
    num_sets: int
    is_lead: bool = False
    """Whether what is measured follows at once, for which a process stays awake."""

    def message(self) -> dict[str, Any]:
        return {"do": "batch", **asdict(self), "nonce": secrets.randbits(62)}


@dataclass(frozen=True)
class Shown:
    """A timed call that the judge has picked: its inputs as they were, its outputs as they are."""

    inputs: tuple[torch.Tensor, ...]
    outputs: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Visit:
    """Rounds on the same cores."""

    samples: list[list[float]]
    """Seconds of a call of each runner, a round each."""
    shown: list[Shown]

    @property
    def seconds(self) -> float:
        """What a call of each runner takes, together."""
        return sum(map(statistics.median, self.samples))


class Rounds:
    """Takes two runners over the same sets of inputs: one, and the reference that it is compared with."""

    def __init__(self, clock: Clock, sets: Sets, one: Runner, reference: Runner) -> None:
        self._clock = clock
        self._sets = sets
        self._reference = reference
        self._runners = (one, reference)
        self.counting: list[Visit] = []
        """The calmest visit, and those that agree with it. The others are given up with what they showed: a
        calmer one cannot bring them back."""
        self._num_visits = 0
        self._move: Callable[[], None] = lambda: None
        self._stack = 0
        self.num_calls = FIRST_CALLS
        self.noop_seconds = 0.0
        self.least_seconds = 0.0
        """That a call of the first can take."""

    def load(self) -> None:
        """Have everybody load what is loaded on first use; nothing is measured."""
        for runner in self._runners:
            for _ in range(NUM_WARM_UPS):
                self._batch(runner)

    @contextlib.contextmanager
    def on_cores(self) -> Iterator[None]:
        """While the runners, of which one at most has work, share a core, and the clock has another."""
        runners = [runner.process.pid for runner in self._runners]
        with on_reserved(runners, [self._clock.pid]) as self._move:
            yield
            for runner in self._runners:
                runner.release()

    def warm_up(self) -> None:
        """Find how long a batch should be. A candidate gains nothing by being slow at first: the reference
        decides then."""
        self.noop_seconds = min(self._elapsed(self._reference, 0) for _ in range(NUM_NOOPS))
        for most in (SOME_CALLS, MOST_CALLS):
            seconds = {runner.name: self._batch(runner) for runner in self._runners}
            fastest = max(min(seconds.values()), seconds[self._reference.name] / MOST_FASTER)
            wanted = max(BATCH_SECONDS, min(FEW_CALLS * fastest, FEW_SECONDS))
            fitting = min(wanted / fastest, LONGEST_BATCH_SECONDS / max(seconds.values()))
            self.num_calls = max(LEAST_CALLS, min(most, round(fitting)))

    @property
    def num_rounds(self) -> int:
        return self._num_visits * NUM_ROUNDS

    @property
    def shown(self) -> list[Shown]:
        """Calls to be checked, of those picked in the visits that count."""
        return [shown for visit in self.counting for shown in visit.shown]

    @property
    def is_long(self) -> bool:
        """Whether a single call is as long as a batch, so that nobody needs to get into their stride."""
        return self.num_calls == 1

    @property
    def _num_sets(self) -> int:
        return min(self.num_calls, self._sets.count)

    def settle(self, shows: Runner | None = None, window: Window | None = None) -> None:
        """Visits, until enough agree to know the ratio well and a call of the first takes as long as it
        must."""
        one, reference = self._runners
        for _ in range(MOST_VISITS):
            self.measure(shows, window)
            enough = len(self.counting) >= LEAST_VISITS and all(map(self._can_be, self.counting))
            if enough and not self._is_worth_another(ratio(reference.samples, one.samples).spread):
                return

    def _is_worth_another(self, spread: float) -> bool:
        """Whether a visit more may give a better figure, or one at all: an interval narrows by the root of
        the number of visits, at best."""
        if self._num_visits < SOME_VISITS or spread > MOST_NOISE:
            return spread > MOST_SPREAD
        return MOST_SPREAD < spread <= MOST_SPREAD * math.sqrt(MOST_VISITS / self._num_visits)

    def measure(self, shows: Runner | None = None, window: Window | None = None) -> None:
        """One visit: on other cores, with stacks elsewhere and after some calls that do not count, a sample
        of each runner, round after round. In some rounds a call of `shows` is picked."""
        if self._num_visits:
            self._move()
        self._stack = random.SystemRandom().choice([n for n in range(NUM_STACKS) if n != self._stack])
        for runner in self._runners:
            runner.move_stack(self._stack * STACK_STEP)
            self._elapsed(runner, 0)
        shown, noops, elapsed = [], [], {runner.name: [] for runner in self._runners}
        picks = random.SystemRandom().sample(range(NUM_ROUNDS), NUM_PICKED) if window else ()
        for number in range(NUM_ROUNDS):
            noops.append(self._elapsed(self._reference, 0))
            for runner in self._runners if (self.num_rounds + number) % 2 else self._runners[::-1]:
                picked = secrets.randbelow(self._num_sets) if runner is shows and number in picks else None
                inputs = self._sets.refresh(self._num_sets, picked)
                elapsed[runner.name].append(self._elapsed(runner, self.num_calls))
                if picked is not None and window is not None:
                    shown.append(Shown(inputs, runner.show(picked, window)))
        self.noop_seconds = min(noops)
        visit = Visit([list(map(self._a_call, each)) for each in elapsed.values()], shown)
        self._num_visits += 1
        visits = [*self.counting, visit]
        visits = list(filter(self._can_be, visits)) or visits
        visits.sort(key=lambda each: each.seconds)
        self.counting = [each for each in visits if each.seconds <= AGREEING * visits[0].seconds]
        self._choose_shown()
        for place, runner in enumerate(self._runners):
            runner.samples = [sample for visit in self.counting for sample in visit.samples[place]]

    def _can_be(self, visit: Visit) -> bool:
        return statistics.median(visit.samples[0]) >= self.least_seconds

    def _choose_shown(self) -> None:
        """Give up picked calls that are too many, whichever chance says. Some are always left: the visit that
        makes others count no longer has its own."""
        shown = [each for visit in self.counting for each in visit.shown]
        kept = list(map(id, random.SystemRandom().sample(shown, min(len(shown), MOST_SHOWN))))
        for visit in self.counting:
            visit.shown[:] = [each for each in visit.shown if id(each) in kept]

    def _batch(self, runner: Runner) -> float:
        """Seconds of a call."""
        self._sets.refresh(self._num_sets)
        return self._a_call(self._elapsed(runner, self.num_calls))

    def _a_call(self, elapsed: float) -> float:
        return max(elapsed - self.noop_seconds, SHORTEST_SECONDS) / self.num_calls

    def _elapsed(self, runner: Runner, count: int) -> float:
        """Seconds of a batch, of which nothing is taken off. What an earlier one returned is given up by the
        calls that lead into this one."""
        num_leading = 0 if self.is_long else -(-self.num_calls // LEAD_SHARE)
        lead = Calls(num_leading, self._sets.count, 1, is_lead=True)
        return runner.batch(self._clock, Calls(count, 0, self._num_sets), lead)
