"""The timing layer's work: is the candidate faster, and is its time to be believed?

A candidate's process may say and do what it likes; three things hold all the same. The clock is the judge's.
Outputs of timed calls that the judge picks afterwards are right. And a call takes no less than the
candidate's own launches need of the device in a clean process, nor less than physics allows.
"""

import contextlib
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from tritonrl.tasks import TaskError
from tritonrl.verify.log import Log
from tritonrl.verify.memory import contiguous_spec, dtype_name
from tritonrl.verify.oracle.compare import Mismatch, comparison, first_wrong
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.replaying import MOST_TIMED, Replay
from tritonrl.verify.roles import VerifierError
from tritonrl.verify.session import Session
from tritonrl.verify.settings import Settings
from tritonrl.verify.timing import baselines
from tritonrl.verify.timing.physics import Abilities, abilities
from tritonrl.verify.timing.rounds import MOST_NOISE, Rounds, Runner, Shown
from tritonrl.verify.timing.sets import Sets
from tritonrl.verify.timing.statistics import Figure, figure, ratio
from tritonrl.verify.verdict import Finding, Speedup, Timing
from tritonrl.verify.zygotes import Zygotes

LAYER = "timing"
NUM_DEVICE_SAMPLES = 3
"""One, where a call is long."""
SHORTER_THAN_LAUNCHES = 0.95
"""Of the device's time for its launches, below which a call's time is not believed."""
IMPOSSIBLY_SHORT = 0.7
"""And below which the timed calls cannot be the checked ones."""


@dataclass
class Timed:
    """What timing showed."""

    timing: Timing | None = None
    findings: list[Finding] = field(default_factory=list)
    story: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Subject:
    """A candidate that all other layers have accepted, and all that is known of it."""

    zygotes: Zygotes
    oracle: Oracle
    exam: Exam
    session: Session
    replay: Replay
    log: Log
    """What a call of it does."""
    settings: Settings


def time_candidate(subject: Subject) -> Timed:
    """Time a candidate against its baselines."""
    with subject.oracle.worker(subject.exam) as worker:
        sets = baselines.sets_of(worker, subject.exam, subject.settings.device)
        with contextlib.closing(sets):
            return _Timing(subject, worker, sets).run()


class _Timing:
    """One candidate before the clock."""

    def __init__(self, subject: Subject, worker: Worker, sets: Sets) -> None:
        self.subject, self.worker, self.sets = subject, worker, sets
        self.exam, self.replay, self.settings = subject.exam, subject.replay, subject.settings
        self.clock, self.turns = subject.zygotes.clock, subject.zygotes.turns(subject.settings.device)
        self.found = Timed()
        self.first: Draw = subject.exam.draws[0]
        process, seconds = subject.session.process, subject.settings.call_seconds
        self.candidate = Runner("candidate", process, seconds, is_candidate=True)
        self.eager = Runner("eager", worker.process, subject.settings.reference_seconds)

    def run(self) -> Timed:
        session, outputs = self.subject.session, self.first.expected.outputs
        session.set_state(self.first)
        baselines.make_ready(self.worker, self.exam, self.settings)
        for runner in (self.candidate, self.eager):
            runner.prepare(self.sets)
        self.replay.prepare(self.subject.log, self.sets)
        specs = [contiguous_spec(dtype_name(value.native.dtype), value.native.shape) for value in outputs]
        window = session.lender.lend("shown", specs)
        rounds = Rounds(self.clock, self.sets, self.candidate, self.eager)
        rounds.load()
        with self.turns.alone(), rounds.on_cores():
            able = abilities(self.settings.device)
            rounds.warm_up()
            device = self._device_times(rounds)
            rounds.least_seconds = SHORTER_THAN_LAUNCHES * device.least
            rounds.settle(self.candidate, window)
        timing = self._timing(rounds, able, device)
        found = self.found
        found.timing = timing
        found.findings += self._complaints(timing, device, rounds.shown)
        found.story.append(
            f"{timing.num_rounds} rounds of {timing.num_calls} calls each: {timing.wall_us:.1f} µs a call, "
            f"{timing.device_us:.1f} µs of it the device's; eager {timing.baselines['eager'].wall_us:.1f} µs"
        )
        return found

    def _device_times(self, rounds: Rounds) -> "_DeviceTimes":
        count = min(rounds.num_calls, MOST_TIMED)
        pairs = [
            (self.replay.device_seconds(count), self.eager.device_seconds(count))
            for _ in range(1 if rounds.is_long else NUM_DEVICE_SAMPLES)
        ]
        launches, eager = zip(*pairs, strict=True)
        return _DeviceTimes(statistics.median(launches), min(launches), statistics.median(eager))

    def _timing(self, rounds: Rounds, able: Abilities, device: "_DeviceTimes") -> Timing:
        wall, speedup = figure(self.candidate.samples), ratio(self.eager.samples, self.candidate.samples)
        output_bytes = self.first.expected.output_bytes
        floor = able.floor_seconds(output_bytes, self.exam.work.products, self.exam.dtype)
        wanted = {"eager": Speedup(
            wall_us=_us(figure(self.eager.samples).median), device_us=_us(device.eager),
            speedup=round(speedup.median, 4), low=round(speedup.low, 4), high=round(speedup.high, 4),
            device_speedup=round(device.eager / device.launches, 4),
        )}  # fmt: skip
        if self.settings.baseline != "eager":
            try:
                oracle, clock = self.subject.oracle, self.clock
                measured = baselines.compiled(oracle, self.exam, self.settings, clock, self.turns)
                wanted["compile"] = baselines.compared(measured, wanted["eager"])
            except (VerifierError, TaskError) as error:
                self.found.findings.append(_note(f"not compared with torch.compile: {error}"))
        return Timing(
            wall_us=_us(wall.median), device_us=_us(device.launches), spread=round(wall.spread, 4),
            baselines=wanted, num_rounds=rounds.num_rounds, num_calls=rounds.num_calls,
            noop_us=_us(rounds.noop_seconds), floor_us=_us(floor), num_checked=len(rounds.shown),
            refused=_refused(wall, speedup, device.least, floor),
        )  # fmt: skip

    def _complaints(self, timing: Timing, device: "_DeviceTimes", shown: list[Shown]) -> Iterator[Finding]:
        """What rejects a candidate here."""
        if self.candidate.set_aside:
            message = (
                f"sets aside {self.candidate.set_aside:,} bytes of the L2 cache for itself: what it keeps "
                "there between calls is not there for a caller with other work on the device"
            )
            yield Finding(layer=LAYER, rule="D8", message=message)
        if timing.wall_us < IMPOSSIBLY_SHORT * _us(device.least):
            message = (
                f"a timed call takes {timing.wall_us:.1f} µs, but its launches alone take "
                f"{_us(device.least):.1f} µs of the device in a clean process: timed calls must do what "
                "checked calls do"
            )
            yield Finding(layer=LAYER, rule="D1", message=message)
        if self.first.expected.changed:
            return  # calls change what they are given, and an answer depends on all calls before it
        for each in shown:
            if wrong := self._wrong(each):
                message = f"a timed call is wrong, though every checked call was right: {wrong.what}"
                yield Finding(layer=LAYER, rule="E6", message=message)
                return
        if timing.refused:
            yield _note(f"speed is not reported: {timing.refused}")

    def _wrong(self, shown: Shown) -> Mismatch | None:
        """What is wrong with a timed call's outputs. Nearly all that are right are seen to be at a quick
        look, which is under little rounding noise."""
        inputs = self.first.inputs.with_tensors(shown.inputs)
        state = self.exam.variants[0].states[self.first.state]
        found: Mismatch | None = None
        tolerance = self.exam.tolerance
        for num_runs in (1, tolerance.num_noise):
            # Seeds need not be secret: nothing can be made of them afterwards.
            expected = self.worker.expect(0, inputs, state, tolerance, range(num_runs), twice=False)
            found = first_wrong(
                [
                    comparison(value, got, tolerance, expected.num_terms)
                    for value, got in zip(expected.outputs, shown.outputs, strict=True)
                ]
            )
            if found is None:
                break
        return found


@dataclass(frozen=True)
class _DeviceTimes:
    """Seconds that the device needs for a call."""

    launches: float
    """The candidate's launches."""
    least: float
    """The least that was seen of them."""
    eager: float


def _note(message: str) -> Finding:
    return Finding(layer=LAYER, rule="timing", message=message, severity="warning")


def _refused(wall: Figure, speedup: Figure, launches: float, floor: float) -> str | None:
    """Why these figures are not to be trusted."""
    if wall.median < floor:
        return f"{_us(wall.median)} µs a call is less than the device needs at best, {_us(floor)} µs"
    if wall.median < SHORTER_THAN_LAUNCHES * launches:
        return f"{_us(wall.median)} µs a call is less than its launches need, {_us(launches)} µs"
    if speedup.spread > MOST_NOISE:
        return f"too noisy, the speedup lies anywhere from {speedup.low:.2f} to {speedup.high:.2f}"
    return None


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 3)
