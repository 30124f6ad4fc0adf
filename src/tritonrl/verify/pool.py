"""Many verdicts: candidates in, verdicts out as they are ready, over the cores of this machine.

    for judged in verify_many(tasks, candidates):
        print(judged.number, judged.verdict)

Whatever a candidate does costs its own verdict and nothing else. Both iterables are read as far as there is
work to hand out, and what a task needs is prepared once for all its candidates that come near each other:
memory does not grow with their number.
"""

import collections
import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task
from tritonrl.verify.cache import VerdictCache
from tritonrl.verify.completion import Completion
from tritonrl.verify.judge import verify
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.roles import Zygotes, zygotes_of_own
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Verdict

ORACLES_BEYOND_WORKERS = 64
"""Exams kept beside those in use: writing one costs as much as a verdict, and most take a megabyte."""
MOST_EXAM_BYTES = 24 * 2**30
"""Of the exams kept, beside those in use."""
CORES_FOR_TIMING = 2
"""Left free where speed is measured: for the clock, and for the host of what is timed."""


@dataclass(frozen=True)
class Judged:
    """The outcome for candidate number `number`: a verdict, or the error that kept us from one."""

    number: int
    task: Task
    verdict: Verdict | None
    error: TritonrlError | None = None


def verify_many(
    tasks: Iterable[Task],
    candidates: Iterable[str | Completion],
    settings: Settings | None = None,
    *,
    workers: int | None = None,
    cache: Path | None = None,
    zygotes: Zygotes | None = None,
) -> Iterator[Judged]:
    """Judge candidate i on task i, for all i; outcomes come in the order of completion."""
    settings = settings or Settings()
    count = workers or _num_workers(settings)
    devices = itertools.cycle(_devices(settings))
    kept = VerdictCache(cache) if cache else None
    with zygotes_of_own(zygotes) as held:
        held.expect(settings.device)
        oracles = _Oracles(held, count)
        pool = ThreadPoolExecutor(count, thread_name_prefix="judge")

        def judge(number: int, task: Task, candidate: str | Completion, device: str) -> Judged:
            completion = Completion.of_code(candidate) if isinstance(candidate, str) else candidate
            try:
                verdict = kept.get(task, completion, settings) if kept else None
                if verdict is None:
                    there = settings.model_copy(update={"device": device})
                    oracle = oracles.of(task, there)
                    verdict = verify(task, completion, there, zygotes=held, oracle=oracle)
                    if kept:
                        kept.put(task, completion, settings, verdict)
                return Judged(number, task, verdict)
            except TritonrlError as error:
                return Judged(number, task, None, error)

        pairs = enumerate(zip(tasks, candidates, strict=True))
        waiting: set[Future[Judged]] = set()
        try:
            while True:
                while len(waiting) < 2 * count and (following := next(pairs, None)) is not None:
                    number, (task, candidate) = following
                    waiting.add(pool.submit(judge, number, task, candidate, next(devices)))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            oracles.close()


def _num_workers(settings: Settings) -> int:
    cores = len(os.sched_getaffinity(0))
    return max(1, cores - CORES_FOR_TIMING) if settings.timing else cores


def _devices(settings: Settings) -> list[str]:
    """All GPUs, where one is asked for and none is named."""
    if settings.device != "cuda":
        return [settings.device]
    import torch

    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


class _Oracles:
    """The oracles of the tasks seen last."""

    def __init__(self, zygotes: Zygotes, num_workers: int) -> None:
        self._zygotes, self._num_workers = zygotes, num_workers
        self._lock = threading.Lock()
        self._kept: collections.OrderedDict[tuple[str, str, str], Oracle] = collections.OrderedDict()

    def of(self, task: Task, settings: Settings) -> Oracle:
        with self._lock:
            key = (task.source, task.entry, settings.device)
            oracle = self._kept.pop(key, None) or Oracle(self._zygotes, task, settings)
            self._kept[key] = oracle
            while self._are_too_many():
                self._kept.popitem(last=False)[1].close()
            return oracle

    def _are_too_many(self) -> bool:
        beyond = len(self._kept) - self._num_workers
        size = sum(oracle.size_bytes for oracle in self._kept.values())
        return beyond > ORACLES_BEYOND_WORKERS or (beyond > 0 and size > MOST_EXAM_BYTES)

    def close(self) -> None:
        for oracle in self._kept.values():
            oracle.close()
