"""Timing without a GPU: the arithmetic of figures, the clock, what is kept, what refuses a time."""

import contextlib
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from pydantic import BaseModel

from tritonrl.verify.channel import Channel, ChannelError, Closed, Late
from tritonrl.verify.inside import timed
from tritonrl.verify.keeping import kept
from tritonrl.verify.oracle.worker import Values
from tritonrl.verify.process import Death
from tritonrl.verify.roles import VerifierError
from tritonrl.verify.timing import cores
from tritonrl.verify.timing.baselines import like
from tritonrl.verify.timing.clock import Clock
from tritonrl.verify.timing.layer import _refused
from tritonrl.verify.timing.physics import FEWER_PRODUCTS, LEEWAY, Abilities
from tritonrl.verify.timing.rounds import (
    LEAST_VISITS,
    MOST_NOISE,
    MOST_SHOWN,
    MOST_VISITS,
    NUM_PICKED,
    NUM_ROUNDS,
    SOME_VISITS,
    Calls,
    Rounds,
    Runner,
)
from tritonrl.verify.timing.statistics import Figure, figure, ratio


@pytest.mark.parametrize(
    ("count", "rank"),
    [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (27, 7)],
)
def test_an_interval_leaves_out_as_many_extremes_as_the_binomial_allows(count: int, rank: int):
    """By hand: P(Bin(9, ½) ≤ 1) = 10/512 = 2.0 %, P(Bin(8, ½) ≤ 1) = 9/256 = 3.5 %."""
    samples = [float(number) for number in range(1, count + 1)]
    found = figure(samples)
    assert (found.low, found.high) == (samples[rank], samples[-1 - rank])


def test_a_figure_is_the_median_and_its_spread_is_relative():
    found = figure([3.0, 1.0, 2.0, 100.0, 2.0])
    assert (found.median, found.low, found.high) == (2.0, 1.0, 100.0)
    assert Figure(10.0, 9.0, 12.0).spread == pytest.approx(0.15)


def test_a_ratio_is_taken_pair_by_pair():
    """Both slow down together from round to round: the ratio does not move."""
    slow, fast = [2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0, 8.0]
    assert ratio(slow, fast) == Figure(2.0, 2.0, 2.0)


def test_what_refuses_a_time():
    steady, figures = Figure(2.0, 1.98, 2.02), Figure(100e-6, 99e-6, 101e-6)
    assert _refused(figures, steady, launches=90e-6, floor=50e-6) is None
    assert "at best" in str(_refused(figures, steady, launches=90e-6, floor=101e-6))
    assert "launches" in str(_refused(figures, steady, launches=110e-6, floor=0.0))
    assert _refused(figures, steady, launches=104e-6, floor=0.0) is None, "within five percent"
    assert "noisy" in str(_refused(figures, Figure(2.0, 1.5, 2.5), launches=90e-6, floor=0.0))


def test_no_time_is_shorter_than_writing_or_multiplying():
    able = Abilities(device="none", bytes_per_second=1e12, flops_per_second={"tf32": 1e14, "float16": 4e14})
    assert able.floor_seconds(10**9, 0, "float32") == pytest.approx(LEEWAY * 1e-3)
    assert able.floor_seconds(0, 10**12, "float32") == pytest.approx(LEEWAY * 1e-2 / FEWER_PRODUCTS)
    assert able.floor_seconds(0, 10**12, "float16") == pytest.approx(LEEWAY * 2.5e-3 / FEWER_PRODUCTS)
    assert able.floor_seconds(10**9, 10**6, "int32") == pytest.approx(LEEWAY * 1e-3)


def test_timed_inputs_have_the_numbers_that_kernels_are_compiled_for():
    def drawn(size: int, number: int) -> Values:
        return Values(["list", [["tensor", 0], ["number", number]]], (torch.full((size,), float(number)),))

    first = drawn(3, 1)
    made = like(first, [drawn(3, 7), drawn(4, 8), drawn(3, 9)])
    assert [each.structure for each in made] == [first.structure] * 2
    assert [each.tensors[0][0] for each in made] == [7.0, 9.0], "values are new, sizes the same"
    assert like(first, [drawn(4, 8)]) == [first]


@pytest.fixture
def clock():
    made = Clock({})
    yield made
    made.close()


LEAD = {"nonce": 0}


@contextlib.contextmanager
def answering(seconds: float) -> Iterator[Channel]:
    """Somebody who takes their time over the second question."""
    ours, theirs = Channel.pair()

    def serve() -> None:
        with contextlib.suppress(ChannelError):
            for pause in (0.0, seconds):
                message = theirs.receive(20)
                time.sleep(pause)
                theirs.send({"nonce": message["nonce"]})

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield ours
    thread.join()
    ours.close()
    theirs.close()


def test_the_clock_measures_from_the_question_to_the_answer(clock: Clock):
    with answering(0.2) as asked:
        answer, elapsed = clock.ask(asked, {"nonce": 7}, LEAD, seconds=10)
    assert answer == {"nonce": 7}
    assert 0.2 <= elapsed < 2.0


def test_the_clock_goes_on_after_one_that_is_late_or_gone(clock: Clock):
    with answering(1.0) as asked, pytest.raises(Late):
        clock.ask(asked, {"nonce": 1}, LEAD, seconds=0.1)
    gone, other = Channel.pair()
    other.close()
    with contextlib.closing(gone), pytest.raises(Closed):
        clock.ask(gone, {"nonce": 2}, LEAD, seconds=5)
    with answering(0.0) as asked:
        assert clock.ask(asked, {"nonce": 3}, LEAD, seconds=10)[0] == {"nonce": 3}


class Record(BaseModel):
    value: int


def test_what_is_measured_once_is_kept_and_a_torn_file_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    count = iter(range(10))

    def measure() -> Record:
        return Record(value=next(count))

    assert kept("things", "one", Record, measure) == kept("things", "one", Record, measure) == Record(value=0)
    assert kept("things", "two", Record, measure) == Record(value=1)
    for file in (tmp_path / "tritonrl" / "things").iterdir():
        file.write_text("{")
    assert kept("things", "one", Record, measure) == Record(value=2)


class FakeSets:
    """Counts how often inputs are written anew."""

    def __init__(self, count: int) -> None:
        self.count, self.refreshed = count, []

    def refresh(self, count: int, picked: int | None = None) -> tuple[int | None, ...]:
        self.refreshed.append(count)
        return () if picked is None else (len(self.refreshed),)


class FakeWindow:
    """Room for no output."""

    name = "window"

    def __init__(self) -> None:
        self.arena = SimpleNamespace(places=[], tensors=list, settle=lambda: None)


class FakeProcess:
    """Takes so many seconds a call, by a clock that believes it, and a constant for being asked."""

    def __init__(self, seconds: float, asked: float = 1e-4, lies: bool = False) -> None:
        self.seconds, self.asked, self.lies, self.pid = seconds, asked, lies, 0
        self.counts: list[int] = []
        self.leads: list[int] = []
        self.stacks: list[int] = []

    def ask_by(self, clock: object, message: dict, lead: dict, *, seconds: float) -> tuple[dict, float]:
        assert lead["first_set"] >= message["first_set"] + message["num_sets"], "a set of its own"
        self.counts.append(message["count"])
        self.leads.append(lead["count"])
        nonce = message["nonce"] + self.lies
        return {"nonce": nonce, "set_aside": 0}, self.asked + message["count"] * self.seconds

    def ask(self, message: dict, descriptors: object, *, seconds: float) -> dict:
        if message["do"] == "move_stack":
            self.stacks.append(message["extra"])
        return {}

    def end(self) -> None:
        pass


def rounds_of(
    one: FakeProcess, reference: FakeProcess, num_sets: int = 64
) -> tuple[Rounds, Runner, Runner, FakeSets]:
    sets = FakeSets(num_sets)
    runners = Runner("one", one, 1.0, is_candidate=True), Runner("reference", reference, 1.0)  # type: ignore[arg-type]
    return Rounds(None, sets, *runners), *runners, sets  # type: ignore[arg-type]


def test_rounds_measure_what_a_call_takes_without_the_asking():
    processes = FakeProcess(1e-4, asked=3e-4), FakeProcess(2e-4, asked=3e-4)
    rounds, one, reference, sets = rounds_of(*processes)
    rounds.warm_up()
    rounds.measure()
    assert figure(one.samples).median == pytest.approx(1e-4)
    assert ratio(reference.samples, one.samples).median == pytest.approx(2.0)
    assert len(one.samples) == len(reference.samples) == NUM_ROUNDS
    assert sets.refreshed.count(rounds.num_calls) >= 2 * NUM_ROUNDS, "before every batch"


@pytest.mark.parametrize(
    ("candidate", "reference", "calls"),
    [
        (1e-4, 1e-4, 20), (5e-5, 1e-4, 40), (1e-6, 1e-4, 80), (1e-3, 1e-4, 20), (1e-6, 1e-7, 1024),
        (1e-2, 1e-4, 6), (1.5e-3, 1.5e-3, 3), (3e-3, 3e-3, 2), (0.1, 0.1, 1),
    ],
)  # fmt: skip
def test_the_faster_decides_how_many_calls_are_timed(candidate: float, reference: float, calls: int):
    """Within bounds: a batch of the reference takes at most four times as long, a slow candidate cuts the
    count only where a batch of it would take sixty milliseconds, and of long calls there are a few."""
    rounds, *_ = rounds_of(FakeProcess(candidate), FakeProcess(reference))
    rounds.warm_up()
    assert rounds.num_calls == calls


def test_a_call_as_long_as_a_batch_is_made_once_a_round():
    process = FakeProcess(0.02)
    rounds, *_ = rounds_of(process, FakeProcess(0.03))
    rounds.warm_up()
    process.counts, process.leads = [], []
    rounds.measure()
    assert process.counts == [0, *[1] * NUM_ROUNDS]
    assert process.leads == [0] * (1 + NUM_ROUNDS)


def test_a_visit_begins_with_calls_that_do_not_count():
    process = FakeProcess(1e-4)
    rounds, *_ = rounds_of(process, FakeProcess(1e-4))
    rounds.warm_up()
    process.counts, process.leads = [], []
    rounds.measure()
    assert process.counts == [0, *[20] * NUM_ROUNDS]
    assert process.leads == [4] * (1 + NUM_ROUNDS)


def test_stacks_are_elsewhere_in_every_visit():
    processes = FakeProcess(1e-4), FakeProcess(2e-4)
    rounds, *_ = rounds_of(*processes)
    rounds.warm_up()
    for _ in range(6):
        rounds.measure()
    one, other = (process.stacks for process in processes)
    assert one == other, "the same for both, as any time that it costs"
    assert len(one) == 6
    assert all(size != following for size, following in itertools.pairwise([0, *one]))


def test_a_batch_is_longer_than_there_are_sets():
    rounds, _, _, sets = rounds_of(FakeProcess(2e-5), FakeProcess(2e-5), num_sets=8)
    rounds.warm_up()
    assert rounds.num_calls == 100
    assert max(sets.refreshed) == 8


def test_the_calmest_visit_counts_with_those_that_agree():
    process, eager = FakeProcess(1e-4), FakeProcess(2e-4)
    rounds, one, reference, sets = rounds_of(process, eager)
    rounds.warm_up()
    before = []
    for slower in (1.4, 1.0, 1.02, 1.3):
        before.append(len(sets.refreshed))
        process.seconds, eager.seconds = slower * 1e-4, max(2e-4, slower * 1.6e-4)
        rounds.measure(one, FakeWindow())  # type: ignore[arg-type]
    assert one.samples == pytest.approx([1e-4] * NUM_ROUNDS + [1.02e-4] * NUM_ROUNDS)
    assert reference.samples == pytest.approx([2e-4] * 2 * NUM_ROUNDS)
    assert rounds.num_rounds == 4 * NUM_ROUNDS
    checked = [when for shown in rounds.shown for when in shown.inputs]
    assert len(checked) == 2 * NUM_PICKED
    assert all(before[1] < when <= before[3] for when in checked), "the visits that count are checked"


def test_no_more_calls_are_checked_however_many_visits_count():
    rounds, one, *_ = rounds_of(FakeProcess(1e-4), FakeProcess(2e-4))
    rounds.warm_up()
    num_shown = []
    for _ in range(MOST_VISITS):
        rounds.measure(one, FakeWindow())  # type: ignore[arg-type]
        num_shown.append(len(rounds.shown))
    assert len(rounds.counting) == MOST_VISITS
    assert num_shown == [NUM_PICKED, *[MOST_SHOWN] * (MOST_VISITS - 1)]


@pytest.mark.parametrize(
    ("spells", "least_seconds", "visits"),
    [
        ([1.0, 1.0], 0.0, LEAST_VISITS),
        ([1.4, 1.0, 1.3, 1.02], 0.0, 4),
        ([1.0, 1.0], 2e-4, MOST_VISITS),
        ([1.0, *[1.3, 1.5] * MOST_VISITS], 0.0, MOST_VISITS),
        ([1.0, 1.12] * MOST_VISITS, 0.0, SOME_VISITS),
        ([1.0, 1.065] * MOST_VISITS, 0.0, MOST_VISITS),
    ],
    ids=["calm", "until two agree", "shorter than can be", "never two", "too wide", "nearly"],
)
def test_visits_go_on_until_they_tell(spells: list[float], least_seconds: float, visits: int):
    process = FakeProcess(1e-4)
    rounds, *_ = rounds_of(process, FakeProcess(2e-4))
    rounds.warm_up()
    following, measure = itertools.chain(spells, itertools.repeat(1.0)), rounds.measure

    def visit(*shown: object) -> None:
        process.seconds = next(following) * 1e-4
        measure()

    rounds.measure = visit  # type: ignore[method-assign]
    rounds.least_seconds = least_seconds
    rounds.settle()
    assert rounds.num_rounds == visits * NUM_ROUNDS


def test_visits_go_on_where_there_would_be_no_figure():
    process, eager = FakeProcess(1e-4), FakeProcess(2e-4)
    rounds, one, reference, _ = rounds_of(process, eager)
    rounds.warm_up()
    spells, measure = itertools.cycle([(1e-4, 2e-4), (1.25e-4, 1.75e-4)]), rounds.measure

    def visit(*shown: object) -> None:
        process.seconds, eager.seconds = next(spells)
        measure()

    rounds.measure = visit  # type: ignore[method-assign]
    rounds.settle()
    assert ratio(reference.samples, one.samples).spread > MOST_NOISE
    assert rounds.num_rounds == MOST_VISITS * NUM_ROUNDS


def test_a_visit_that_cannot_be_counts_only_where_there_is_no_other():
    process = FakeProcess(5e-5)
    rounds, one, *_ = rounds_of(process, FakeProcess(2e-4))
    rounds.warm_up()
    rounds.least_seconds = 1e-4
    medians = []
    for seconds in (5e-5, 6e-5, 1.1e-4, 5e-5):
        process.seconds = seconds
        rounds.measure()
        medians.append(figure(one.samples).median)
    assert medians == pytest.approx([5e-5, 5.5e-5, 1.1e-4, 1.1e-4])


def test_a_slow_spell_while_nothing_is_called_makes_no_call_look_short():
    eager = FakeProcess(2e-4)
    rounds, one, *_ = rounds_of(FakeProcess(1e-4), eager)
    quick, spells = eager.ask_by, itertools.cycle((5.0, 5.0, 1e-4))

    def with_spells(clock: object, message: dict, lead: dict, *, seconds: float) -> tuple[dict, float]:
        eager.asked = 1e-4 if message["count"] else next(spells)
        return quick(clock, message, lead, seconds=seconds)

    eager.ask_by = with_spells  # type: ignore[method-assign]
    rounds.warm_up()
    rounds.measure()
    assert figure(one.samples).median == pytest.approx(1e-4)


def test_a_candidate_gains_nothing_by_being_slow_when_nothing_is_called():
    process = FakeProcess(1e-4)
    rounds, one, *_ = rounds_of(process, FakeProcess(2e-4))
    quick = process.ask_by

    def idles(clock: object, message: dict, lead: dict, *, seconds: float) -> tuple[dict, float]:
        process.asked = 1e-4 if message["count"] else 2e-3
        return quick(clock, message, lead, seconds=seconds)

    process.ask_by = idles  # type: ignore[method-assign]
    rounds.warm_up()
    rounds.measure()
    assert figure(one.samples).median == pytest.approx(1e-4)


def test_who_leads_into_a_batch_waits_for_it_awake(monkeypatch: pytest.MonkeyPatch):
    library = SimpleNamespace(
        cuCtxResetPersistingL2Cache=int, cuStreamQuery=lambda _: 0, cuCtxGetLimit=lambda *_: 0
    )
    monkeypatch.setattr(timed, "driver", lambda: library)
    monkeypatch.setattr(timed, "_synchronize", lambda: None)
    called: list[int] = []
    memory = SimpleNamespace(channel=SimpleNamespace(awake=False))
    calls = timed.Timed(memory, lambda: called.append, contextlib.nullcontext)  # type: ignore[arg-type]
    calls._calls = [(0,), (1,), (2,)]
    calls.batch(Calls(3, 0, 2, is_lead=True).message())
    assert memory.channel.awake
    calls.batch(Calls(2, 2, 1).message())
    assert not memory.channel.awake
    assert called == [0, 1, 0, 2, 2]


def test_an_answer_to_another_question_is_the_candidates_fault_and_never_the_baselines():
    rounds, *_ = rounds_of(FakeProcess(1e-4, lies=True), FakeProcess(1e-4))
    with pytest.raises(Death, match="something else"):
        rounds.load()
    rounds, *_ = rounds_of(FakeProcess(1e-4), FakeProcess(1e-4, lies=True))
    with pytest.raises(VerifierError, match="reference baseline cannot be timed: its process answered"):
        rounds.load()


def test_those_who_are_timed_move_from_core_to_core_and_back(monkeypatch: pytest.MonkeyPatch):
    own = sorted(os.sched_getaffinity(0))
    if len(own) < 2:
        pytest.skip("needs two cores")
    monkeypatch.setattr(cores, "reserved", lambda: [(own[0],), (own[1],)])
    with subprocess.Popen(["sleep", "60"]) as one, subprocess.Popen(["sleep", "60"]) as other:
        with cores.on_reserved([one.pid, -1], [other.pid]) as move:
            places = [(os.sched_getaffinity(one.pid), os.sched_getaffinity(other.pid))]
            move()
            places.append((os.sched_getaffinity(one.pid), os.sched_getaffinity(other.pid)))
        after = os.sched_getaffinity(one.pid)
        one.kill()
        other.kill()
    first, second = {own[0]}, {own[1]}
    assert places == [(first, second), (second, first)]
    assert after == set(own)


def test_a_small_machine_has_no_cores_to_spare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(cores, "TOPOLOGY", str(tmp_path / "{}"))
    monkeypatch.setattr(os, "cpu_count", lambda: cores.LEAST_CORES - 1)
    assert cores.reserved() == []
    with cores.on_reserved([os.getpid()]) as move:
        move()
    monkeypatch.setattr(os, "cpu_count", lambda: cores.LEAST_CORES)
    assert cores.reserved() == [(cores.LEAST_CORES - 2,), (cores.LEAST_CORES - 1,)]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (lambda n: f"{n // 2 * 2}-{n // 2 * 2 + 1}\n", [(12, 13), (14, 15)]),
        (lambda n: f"{n % 8},{n % 8 + 8}\n", [(6, 14), (7, 15)]),
        (lambda n: "nonsense", [(14,), (15,)]),
    ],
    ids=["neighbours", "halves", "unknown"],
)
def test_cores_are_reserved_with_all_their_threads(
    written: Callable[[int], str],
    kept: list[tuple[int, ...]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    monkeypatch.setattr(cores, "TOPOLOGY", str(tmp_path / "{}"))
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)))
    for number in range(16):
        (tmp_path / str(number)).write_text(written(number))
    assert cores.reserved() == kept
    assert cores.unreserved() == set(range(16)) - {thread for core in kept for thread in core}
