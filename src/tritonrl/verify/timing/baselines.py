"""What a candidate is compared with: the reference as it is, and as `torch.compile` makes it.

The eager reference is measured beside each candidate. What `torch.compile` gains over it is measured once a
task and device, in processes of its own, and kept.
"""

import contextlib
import json
import secrets
from collections.abc import Iterable
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict

from tritonrl.verify.keeping import kept
from tritonrl.verify.memory import spec_of
from tritonrl.verify.oracle.exam import Exam
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.oracle.worker import Values, Worker
from tritonrl.verify.replaying import MOST_TIMED
from tritonrl.verify.settings import Settings
from tritonrl.verify.timing.clock import Clock
from tritonrl.verify.timing.rounds import Rounds, Runner
from tritonrl.verify.timing.sets import NUM_DRAWS, Sets
from tritonrl.verify.timing.statistics import figure, ratio
from tritonrl.verify.turns import Turns
from tritonrl.verify.verdict import Speedup

COMPILE_SECONDS = 300.0


class Compiled(BaseModel):
    """The compiled reference against the eager one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wall_us: float
    device_us: float
    gain: float
    """Eager time over compiled time, and an interval for it."""
    low: float
    high: float


def sets_of(worker: Worker, exam: Exam, device: str) -> Sets:
    """Inputs for timed calls, from fresh draws of the task."""
    sizes, first = exam.variants[0].sizes, exam.draws[0]
    draws = [worker.draw(secrets.randbits(62), sizes) for _ in range(NUM_DRAWS)]
    return Sets(like(first.inputs, draws), first.expected.output_bytes, device)


def like(first: Values, draws: Iterable[Values]) -> list[Values]:
    """Those of the same kinds, with the plain numbers of the first: kernels are compiled for numbers that
    were asked about, and what is right is looked for with these."""
    return [first.with_tensors(draw.tensors) for draw in draws if _kinds(draw) == _kinds(first)] or [first]


def make_ready(worker: Worker, exam: Exam, settings: Settings, *, compiled: bool = False) -> None:
    """Have the reference ready for timed calls, at the precision that candidates are allowed."""
    first = exam.draws[0]
    state = exam.variants[0].states[first.state]
    worker.baseline(first.inputs, state, tf32=settings.precision != "ieee", compiled=compiled)


def compiled(oracle: Oracle, exam: Exam, settings: Settings, clock: Clock, turns: Turns) -> Compiled:
    """The compiled reference against the eager one, measured by the first who asks. A `VerifierError` or a
    `TaskError` where PyTorch cannot compile it."""
    gpu = torch.cuda.get_device_properties(settings.device)
    task = oracle.task
    key = [task.source, task.entry, gpu.name, str(gpu.uuid), settings.precision, torch.__version__]

    def measure() -> Compiled:
        return _measure(oracle, exam, settings, clock, turns)

    with turns.apart():
        oracle.comparing.acquire()
    try:
        return kept("baselines", json.dumps(key), Compiled, measure)
    finally:
        oracle.comparing.release()


def _measure(oracle: Oracle, exam: Exam, settings: Settings, clock: Clock, turns: Turns) -> Compiled:
    with (
        oracle.worker(exam) as plain,
        oracle.compiled(exam) as worker,
        contextlib.closing(sets_of(plain, exam, settings.device)) as sets,
    ):
        eager = Runner("eager", plain.process, COMPILE_SECONDS)
        other = Runner("compile", worker.process, COMPILE_SECONDS)
        make_ready(plain, exam, settings)
        make_ready(worker, exam, settings, compiled=True)
        for runner in (eager, other):
            runner.prepare(sets)
        rounds = Rounds(clock, sets, other, eager)
        rounds.load()
        with turns.alone(), rounds.on_cores():
            rounds.warm_up()
            rounds.settle()
            device_seconds = other.device_seconds(min(rounds.num_calls, MOST_TIMED))
    gain = ratio(eager.samples, other.samples)
    return Compiled(
        wall_us=figure(other.samples).median * 1e6, device_us=device_seconds * 1e6,
        gain=gain.median, low=gain.low, high=gain.high,
    )  # fmt: skip


def compared(compiled: Compiled, eager: Speedup) -> Speedup:
    """A candidate against the compiled reference: its speedup over the eager one, less what compiling
    gains."""
    device_gain = eager.device_us / compiled.device_us
    return Speedup(
        wall_us=round(compiled.wall_us, 3), device_us=round(compiled.device_us, 3),
        speedup=round(eager.speedup / compiled.gain, 4),
        low=round(eager.low / compiled.high, 4), high=round(eager.high / compiled.low, 4),
        device_speedup=round(eager.device_speedup / device_gain, 4),
    )  # fmt: skip


def _kinds(values: Values) -> list[dict[str, Any]]:
    return [spec_of(each) for each in values.tensors]
