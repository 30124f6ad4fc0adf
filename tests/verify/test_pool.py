"""Many verdicts: as they are ready, without reading ahead; what one candidate does costs one verdict."""

import contextlib
import gc
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path

import pytest

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task, TaskError
from tritonrl.verify import blame, judge, judges, pool, verify
from tritonrl.verify import desk as desks
from tritonrl.verify.case import is_full
from tritonrl.verify.completion import Completion
from tritonrl.verify.desk import Oracles
from tritonrl.verify.judges import Orders
from tritonrl.verify.oracle.exam import Draw
from tritonrl.verify.oracle.oracle import Aside, Oracle
from tritonrl.verify.oracle.worker import TaskTooLarge
from tritonrl.verify.pool import verify_many
from tritonrl.verify.process import Process
from tritonrl.verify.roles import CANDIDATE, REFERENCE, DeviceFull, NotReady, Role, VerifierError
from tritonrl.verify.session import Answer
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Judged, Verdict
from tritonrl.verify.zygotes import Zygotes

QUICK = Settings(num_calls=1, lint_seconds=0, call_seconds=20)

RIGHT = """import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) * 2, at < n)


def triton_fused_operator(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=64)
    return [out]
"""
WRONG = RIGHT.replace("* 2", "* 3")
SLOW = RIGHT.replace("\n\n@triton.jit", "\n\ntime.sleep(2)\n\n\n@triton.jit", 1)
NOT_PYTHON = "x = ("


def task(number: int = 0, factor: str = "2") -> Task:
    source = (
        f"import torch\n\nNUMBER = {number}\n\n\ndef get_inputs():\n    return [torch.randn(40)]\n\n\n"
        f"def fused_operator(tensor_0):\n    return [tensor_0 * {factor}]\n"
    )
    return Task.functional(f"double {number}", source)


def judged(
    candidates: list[str], zygotes: Zygotes, settings: Settings = QUICK, **options: object
) -> list[Judged]:
    outcomes = verify_many([task()] * len(candidates), candidates, settings, zygotes=zygotes, **options)  # type: ignore[arg-type]
    return sorted(outcomes, key=lambda each: each.number)


def accepted(outcomes: list[Judged]) -> list[bool]:
    return [each.verdict is not None and each.verdict.accepted for each in outcomes]


def test_every_candidate_gets_the_verdict_of_its_own(zygotes: Zygotes):
    candidates = [RIGHT, WRONG, NOT_PYTHON, RIGHT, WRONG]
    outcomes = judged(candidates, zygotes)
    assert [each.number for each in outcomes] == [0, 1, 2, 3, 4]
    assert accepted(outcomes) == [True, False, False, True, False]


def test_outcomes_come_as_they_are_ready(zygotes: Zygotes):
    order = [
        each.number
        for each in verify_many([task()] * 2, [SLOW, NOT_PYTHON], QUICK, workers=2, zygotes=zygotes)
    ]
    assert order == [1, 0]


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_is_read_than_there_is_work_for(workers: int, zygotes: Zygotes):
    read: list[int] = []

    def endless() -> Iterator[str]:
        for number in itertools.count():
            read.append(number)
            yield NOT_PYTHON

    outcomes = verify_many(itertools.repeat(task()), endless(), QUICK, workers=workers, zygotes=zygotes)
    for taken in range(1, 40):
        next(outcomes)
        assert len(read) <= taken + pool.WAITING_A_WORKER * workers
    outcomes.close()  # type: ignore[attr-defined]


def test_nothing_is_read_before_the_first_outcome_is_asked_for(zygotes: Zygotes):
    read: list[int] = []
    outcomes = verify_many([task()], (read.append(0) or RIGHT for _ in range(1)), QUICK, zygotes=zygotes)
    time.sleep(0.05)
    assert read == []
    assert accepted(list(outcomes)) == [True]


@pytest.mark.parametrize(
    "broken",
    [task(factor="undefined"), task(factor="(1 / 0)"), task().model_copy(update={"source": "x = ("})],
    ids=["a name error", "a division", "not Python"],
)
def test_a_task_that_fails_is_an_outcome_and_no_exception(broken: Task, zygotes: Zygotes):
    outcomes = sorted(
        verify_many([broken, task()], [RIGHT, RIGHT], QUICK, zygotes=zygotes), key=lambda each: each.number
    )
    assert outcomes[0].verdict is None
    assert isinstance(outcomes[0].error, TaskError)
    assert outcomes[0].task == broken
    assert outcomes[1].error is None
    assert accepted(outcomes) == [False, True]


CRASHES = {
    "crash": "ctypes.string_at(0)",
    "D7": "os._exit(0)",
    "timeout": "time.sleep(60)",
    "runtime_error": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize("rule", CRASHES)
def test_a_candidate_that_goes_down_costs_one_verdict(rule: str, zygotes: Zygotes):
    line = f"    {CRASHES[rule]}\n    return [out]"
    crashing = RIGHT.replace("    return [out]", line)
    settings = QUICK.model_copy(update={"call_seconds": 1.5})
    outcomes = judged([RIGHT, crashing, RIGHT], zygotes, settings)
    assert accepted(outcomes) == [True, False, True]
    verdict = outcomes[1].verdict
    assert verdict is not None
    assert verdict.rejection is not None
    assert verdict.rejection.rule == rule


def children(zygotes: Zygotes) -> list[int]:
    """Wardens, each of which has a process of a role below it."""
    parents = {zygote.process.pid for zygote in zygotes._zygotes.values()}
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            found += [int(pid)] if parent in parents else []
    return found


def eventually(holds: Callable[[], bool], seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def test_closing_early_leaves_no_process_and_no_thread(zygotes: Zygotes):
    assert eventually(lambda: children(zygotes) == [])
    outcomes = verify_many(
        itertools.repeat(task()), itertools.cycle([NOT_PYTHON, SLOW]), QUICK, zygotes=zygotes
    )
    next(outcomes)
    assert eventually(lambda: children(zygotes) != []), "work is under way"
    outcomes.close()  # type: ignore[attr-defined]
    assert eventually(lambda: children(zygotes) == [])
    assert accepted(judged([RIGHT], zygotes)) == [True], "the zygotes are still good"


def test_iterables_of_different_lengths_are_refused(zygotes: Zygotes):
    with pytest.raises(ValueError, match="shorter"):
        list(verify_many([task()] * 3, [NOT_PYTHON], QUICK, zygotes=zygotes))


def test_a_completion_is_judged_by_its_code(zygotes: Zygotes):
    answer = Completion.parse(f"<think>twice</think>\n```python\n{RIGHT}```\n")
    settings = QUICK.model_copy(update={"needs_plan": True})
    outcomes = sorted(
        verify_many([task()] * 2, [answer, RIGHT], settings, zygotes=zygotes), key=lambda each: each.number
    )
    assert accepted(outcomes) == [True, False]
    assert outcomes[1].verdict is not None
    assert outcomes[1].verdict.rejection is not None
    assert outcomes[1].verdict.rejection.layer == "parse"


class Unused:
    """Zygotes of a run that needs none."""

    def start(self, role: Role) -> Process:
        raise AssertionError(f"a {role.name} was started")

    def expect(self, device: str) -> None:
        pass


def test_the_cache_makes_a_second_run_free(zygotes: Zygotes, tmp_path: Path):
    candidates = [RIGHT, WRONG, NOT_PYTHON]
    first = judged(candidates, zygotes, cache=tmp_path)
    second = judged(candidates, Unused(), cache=tmp_path)  # type: ignore[arg-type]
    assert accepted(first) == accepted(second) == [True, False, False]
    assert [each.verdict.cached for each in first if each.verdict] == [False] * 3
    assert [each.verdict.cached for each in second if each.verdict] == [True] * 3


def test_a_timeout_is_tried_again(zygotes: Zygotes, tmp_path: Path):
    hanging = RIGHT.replace("    return [out]", "    time.sleep(60)\n    return [out]")
    settings = QUICK.model_copy(update={"call_seconds": 0.5})
    for _ in range(2):
        (outcome,) = judged([hanging], zygotes, settings, cache=tmp_path)
        assert outcome.verdict is not None
        assert outcome.verdict.cached is False


def test_a_task_is_prepared_once_for_all_its_candidates(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    started: list[str] = []
    start = zygotes.start
    monkeypatch.setattr(zygotes, "start", lambda role, *lent: started.append(role.name) or start(role, *lent))
    assert accepted(judged([RIGHT, WRONG, RIGHT, WRONG], zygotes)) == [True, False, True, False]
    assert started.count(REFERENCE.name) == 1


def test_only_the_tasks_seen_last_are_kept_prepared():
    oracles = Oracles(Unused(), most=3, most_bytes=lambda: 1)  # type: ignore[arg-type]

    def used(number: int) -> Oracle:
        with oracles.of(task(number), QUICK) as oracle:
            return oracle

    first = used(0)
    assert used(0) is first
    for number in range(1, 3):
        used(number)
    assert used(0) is first
    for number in range(1, 50):
        used(number)
    assert len(oracles._kept) == 3
    assert used(0) is not first


def test_large_exams_are_kept_while_they_are_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Oracle, "size_bytes", 100)
    oracles = Oracles(Unused(), most=9, most_bytes=lambda: 250)  # type: ignore[arg-type]
    with oracles.of(task(0), QUICK), oracles.of(task(1), QUICK), oracles.of(task(2), QUICK):
        assert len(oracles._kept) == 3
        with oracles.of(task(3), QUICK):
            assert len(oracles._kept) == 4
    with oracles.of(task(4), QUICK):
        assert [key[0] for key in oracles._kept] == [task(number).source for number in (3, 4)]


def test_who_writes_a_large_exam_waits_until_those_in_use_leave_room():
    oracles = Oracles(Unused(), most=9, most_bytes=lambda: 250)  # type: ignore[arg-type]
    stepped_aside, granted = threading.Event(), threading.Event()

    @contextlib.contextmanager
    def aside() -> Iterator[None]:
        stepped_aside.set()
        yield

    def write() -> None:
        with oracles.of(task(1), QUICK) as oracle:
            oracle._claim(oracle, 100, aside())
            granted.set()

    with oracles.of(task(0), QUICK) as first:
        first._claim(first, 1000, aside())  # alone: however large
        assert not stepped_aside.is_set()
        thread = threading.Thread(target=write)
        thread.start()
        assert stepped_aside.wait(20)
        assert not granted.wait(0.3)
    assert granted.wait(20)
    thread.join()
    assert [key[0] for key in oracles._kept] == [task(1).source], "the large one is let go"


def test_an_exam_is_written_on_after_a_wait(zygotes: Zygotes):
    waits: list[Oracle] = []

    def claim(oracle: Oracle, size_bytes: int, aside: Aside) -> None:
        with aside:
            waits.append(oracle)

    oracle = Oracle(zygotes, task(), QUICK, claim)
    kinds = {draw.kind for draw in oracle.exam().draws}
    assert waits == [oracle]
    assert "own" in kinds
    assert "mixed" in kinds


def test_who_wrote_an_exam_before_does_not_wait_for_its_own_room():
    oracles = Oracles(Unused(), most=9, most_bytes=lambda: 250)  # type: ignore[arg-type]
    with oracles.of(task(), QUICK) as oracle, oracles.of(task(), QUICK):
        for _ in range(2):  # the exam fails: another thread writes it again
            oracles._claim(oracle, 200, contextlib.nullcontext())


def test_who_finds_the_device_full_twice_tries_again_alone(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[str, int]] = []
    two_at_work = threading.Barrier(2, timeout=20)

    def full_for_two(judged_task: Task, candidate: Completion, settings: Settings, **_: object) -> Verdict:
        users = desk._oracles._num_users.total()
        if len(seen) < 4:
            seen.append((candidate.code or "", users))
            two_at_work.wait()
            raise DeviceFull("no memory left")
        seen.append((candidate.code or "", users))
        return real(judged_task, candidate, settings, zygotes=zygotes)

    real = desks.verify
    monkeypatch.setattr(desks, "verify", full_for_two)
    desk = desks.Desk(zygotes, "cpu", 2)
    outcomes: list[Judged] = []
    codes = (RIGHT, WRONG)
    threads = [
        threading.Thread(
            target=lambda n=n: outcomes.append(desk.judge(n, task(n), Completion.of_code(codes[n]), QUICK))
        )
        for n in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert accepted(sorted(outcomes, key=lambda each: each.number)) == [True, False]
    assert [users for _, users in seen[4:]] == [1, 1]
    assert {code for code, _ in seen[4:]} == {RIGHT, WRONG}


def test_who_finds_the_device_full_once_keeps_nobody_waiting(
    zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    seen: list[bool] = []

    def full_once(judged_task: Task, candidate: Completion, settings: Settings, **given: object) -> Verdict:
        seen.append(bool(given["crowded"]))
        if len(seen) == 1:
            raise DeviceFull("no memory left")
        return real(judged_task, candidate, settings, zygotes=zygotes)

    real = desks.verify
    monkeypatch.setattr(desks, "verify", full_once)
    outcome = desks.Desk(zygotes, "cpu", 1).judge(0, task(), Completion.of_code(RIGHT), QUICK)
    assert accepted([outcome]) == [True]
    assert seen == [True, True]


def test_a_process_that_does_not_get_ready_is_no_fault_of_a_candidate(zygotes: Zygotes):
    """Its limits cannot be set here; on a GPU, CUDA may not start. Nothing of a candidate was in it yet."""
    with pytest.raises(NotReady, match="a candidate does not start: OverflowError"):
        zygotes.start(replace(CANDIDATE, cpu_seconds=2**70))


def test_a_device_that_stays_full_is_an_error_of_ours(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> Verdict:
        raise DeviceFull("no memory left")

    monkeypatch.setattr(desks, "verify", full)
    outcome = desks.Desk(zygotes, "cpu", 1).judge(0, task(), Completion.of_code(RIGHT), QUICK)
    assert isinstance(outcome.error, DeviceFull)
    assert outcome.error.__traceback__ is None


def test_who_fails_while_the_device_is_full_is_not_judged_by_that(
    zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    """But who filled it alone is: it is free again afterwards."""
    answers = iter([True, True, False, True, True])
    for module in (blame, judge):
        monkeypatch.setattr(module, "is_full", lambda *_, **__: next(answers))
    failing = RIGHT.replace("return [out]", "raise MemoryError")
    with pytest.raises(DeviceFull):
        verify(task(), failing, QUICK, zygotes=zygotes, crowded=True)
    verdict = verify(task(), failing, QUICK, zygotes=zygotes)
    assert verdict.rejection is not None
    assert verdict.rejection.rule == "runtime_error"
    with pytest.raises(DeviceFull):
        verify(task(), failing, QUICK, zygotes=zygotes)
    assert verify(task(), RIGHT, QUICK, zygotes=zygotes, crowded=True).accepted


def test_who_found_no_memory_is_tried_again_though_there_is_some_by_now():
    """Seen on an H200: 68 MiB were missing in a timed call while others had 139 GiB."""
    assert is_full("cuda", error={"type": "OutOfMemoryError", "message": "CUDA out of memory"})
    assert not is_full("cpu", error={"type": "OutOfMemoryError", "message": "out of memory"})


@pytest.mark.parametrize(
    "candidate",
    [RIGHT, WRONG, RIGHT.replace("* 2", "* missing"), RIGHT.replace("return [out]", "os._exit(3)")],
    ids=["right", "wrong", "does not compile", "dies"],
)
def test_nothing_of_an_exam_is_kept_after_a_verdict(candidate: str, zygotes: Zygotes):
    gc.collect()
    gc.disable()  # a collector comes by when it likes; until then a device would stay full
    try:
        verify(task(), candidate, QUICK, zygotes=zygotes)
        left = [each for each in gc.get_objects() if type(each) in (Draw, Answer)]
    finally:
        gc.enable()
    assert left == []


def test_more_workers_than_one_process_runs_are_several():
    kinds = [RIGHT, WRONG, NOT_PYTHON, RIGHT, "import os\nos._exit(0)", RIGHT]
    outcomes = list(verify_many([task()] * len(kinds), kinds, QUICK, workers=pool.THREADS_A_JUDGE + 1))
    accepted = {each.number: each.verdict is not None and each.verdict.accepted for each in outcomes}
    assert accepted == {number: code == RIGHT for number, code in enumerate(kinds)}


def test_a_task_that_fails_is_the_same_error_from_another_process(zygotes: Zygotes):
    broken = task(factor="undefined")
    (here,) = verify_many([broken], [RIGHT], QUICK, zygotes=zygotes)
    (there,) = verify_many([broken], [RIGHT], QUICK, workers=pool.THREADS_A_JUDGE + 1)
    assert isinstance(there.error, TaskError)
    assert str(there.error) == str(here.error)


class FullJudge:
    """A process of its own whose part of the device is too small."""

    load = 0

    def __init__(self, orders: Orders) -> None:
        assert orders.num_judges == 2

    def submit(self, number: int, judged: Task, candidate: Completion, settings: Settings) -> Future[Judged]:
        future: Future[Judged] = Future()
        future.set_result(Judged(number, judged, None, DeviceFull("no memory left")))
        return future

    def close(self) -> None: ...


def test_what_is_too_large_for_several_judges_is_left_to_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(pool, "Judge", FullJudge)
    codes = [RIGHT, WRONG, RIGHT]
    outcomes = verify_many(
        [task(n) for n in range(3)], codes, QUICK, workers=pool.THREADS_A_JUDGE + 1, cache=tmp_path
    )
    assert accepted(sorted(outcomes, key=lambda each: each.number)) == [True, False, True]


FAILURES = [DeviceFull("no room"), VerifierError("no verdict"), TaskTooLarge("rows", "no room")]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_the_kind_of_an_error_comes_through(error: TritonrlError):
    ours, theirs = Pipe()
    asked = threading.Semaphore(0)

    class FailingDesk:
        def judge(self, number: int, judged: Task, *_: object) -> Judged:
            asked.release()
            return Judged(number, judged, None, error)

        def is_ready(self, *_: object) -> bool:
            return True

    line = judges.Line(FailingDesk(), theirs)  # type: ignore[arg-type]
    threading.Thread(target=line.work, daemon=True).start()
    job = task().model_copy(update={"id": "rows"}), Completion.of_code(RIGHT), QUICK
    line.put(7, *job)
    number, verdict, told = ours.recv()
    assert (number, verdict) == (7, None)
    got = judges._error(job[0], *told)
    assert (type(got), str(got)) == (type(error), str(error))
    # A pool that was interrupted is gone, and its judge's threads do not fail over that.
    ours.close()
    for number in range(2):
        line.put(number, *job)
    assert all(asked.acquire(timeout=20) for _ in range(3))


INTERRUPTED = """
import itertools, sys, time
from pathlib import Path
from tritonrl.tasks import load_task
from tritonrl.verify import Settings, verify_many
task, code = load_task(sys.argv[1]), Path(sys.argv[2]).read_text()
sleeps = code.replace("    out = ", "    __import__('time').sleep(900); out = ")
codes = [code, *itertools.repeat(sleeps, 30)]
settings = Settings(call_seconds=900, total_seconds=900)
try:
    for judged in verify_many(itertools.repeat(task, len(codes)), codes, settings, workers=int(sys.argv[3])):
        print(judged.verdict.accepted, flush=True)
        if sys.argv[4] == "reading":
            time.sleep(900)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("when", ["waiting", "reading"])
@pytest.mark.parametrize("workers", [2, pool.THREADS_A_JUDGE + 1], ids=["threads", "judges"])
def test_an_interrupt_waits_for_no_verdict_and_leaves_no_process(tmp_path: Path, workers: int, when: str):
    """But for the first candidate all sleep until long after the test. The interrupt comes while a verdict is
    waited for, or while who reads them does something else."""
    examples = Path(__file__).parents[2] / "examples"
    command = [
        sys.executable,
        "-c",
        INTERRUPTED,
        examples / "row_softmax.py",
        examples / "row_softmax_kernel.py",
        str(workers),
        when,
    ]
    environment = {**os.environ, "MARK": str(tmp_path)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            assert run.stdout is not None
            assert run.stdout.readline() == "True\n"
            several = len(marked(str(tmp_path))) > 1
            assert several == (workers > pool.THREADS_A_JUDGE), "judges are processes"
            time.sleep(1)  # who reads is there by now
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=60)
        finally:
            run.kill()
    assert (run.returncode, errors) == (130, "")
    assert marked(str(tmp_path)) == []


def marked(mark: str) -> list[str]:
    """Processes with this mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"MARK={mark}".encode() in path.read_bytes():
                found.append(path.parent.name)
    return found
