"""Many verdicts: candidates in, verdicts out as they are ready, over the cores and GPUs of this machine.

    for judged in verify_many(tasks, candidates):
        print(judged.number, judged.verdict)

Whatever a candidate does costs its own verdict and nothing else. Both iterables are read as far as there is
work to hand out, and what a task needs is prepared once for all its candidates that come near each other:
memory does not grow with their number.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from tritonrl.tasks import Task
from tritonrl.verify.cache import VerdictCache
from tritonrl.verify.completion import Completion
from tritonrl.verify.desk import Desk, Tell, untold
from tritonrl.verify.judges import Judge, Orders
from tritonrl.verify.roles import DeviceFull
from tritonrl.verify.settings import Settings, choose_judge
from tritonrl.verify.timing.cores import unreserved
from tritonrl.verify.verdict import Judged
from tritonrl.verify.zygotes import Zygotes, zygotes_of_own

__all__ = ["Hands", "Judged", "judging", "verify_many"]

WAITING_A_WORKER = 8
"""Candidates that are handed out: a judge that prepares one task finds those of others."""
MOST_BEHIND = 8
"""Candidates that a judge may have more than another before one of a task that it knows goes elsewhere."""
THREADS_A_JUDGE = 8
"""A process runs one thread of Python at a time, and a verdict takes a quarter of a second of it."""


def verify_many(
    tasks: Iterable[Task],
    candidates: Iterable[str | Completion],
    settings: Settings | None = None,
    *,
    workers: int | None = None,
    cache: Path | None = None,
    zygotes: Zygotes | None = None,
    hands: "Hands | None" = None,
    tell: Tell = untold,
) -> Iterator[Judged]:
    """Judge candidate i on task i, for all i; outcomes come in the order of completion. With zygotes of the
    caller's, in this process; its threads then tell of each layer. With hands of the caller's, by those, who
    judge by the same settings and are ready for the next call. What is under way when nobody reads any more
    is dropped."""
    settings = settings or Settings()
    choose_judge(settings.judge)  # a key that is missing is not missing a candidate at a time
    count = workers or _num_workers(settings)
    kept = VerdictCache(cache) if cache else None
    pairs = enumerate(zip(tasks, candidates, strict=True))
    waiting: dict[Future[Judged], Completion] = {}
    too_large: list[tuple[Judged, Completion]] = []
    with contextlib.ExitStack() as stack:
        while True:
            while len(waiting) < WAITING_A_WORKER * count and (following := next(pairs, None)) is not None:
                number, (task, given) = following
                completion = Completion.of_code(given) if isinstance(given, str) else given
                if verdict := kept.get(task, completion, settings) if kept else None:
                    yield Judged(number, task, verdict)
                    continue
                hands = hands or stack.enter_context(
                    judging(settings, workers=count, zygotes=zygotes, tell=tell)
                )
                waiting[hands.submit(number, task, completion)] = completion
            if not waiting:
                break
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                completion, judged = waiting.pop(future), future.result()
                if kept and judged.verdict:
                    kept.put(judged.task, completion, settings, judged.verdict)
                if isinstance(judged.error, DeviceFull) and isinstance(hands, _Processes):
                    too_large.append((judged, completion))
                else:
                    yield judged
    # A judge has its part of a device's memory. Now that all have ended, one has the whole.
    again = [judged.task for judged, _ in too_large], [completion for _, completion in too_large]
    for judged in verify_many(*again, settings, workers=1, cache=cache) if too_large else ():
        yield replace(judged, number=too_large[judged.number][0].number)


def _num_workers(settings: Settings) -> int:
    return len(unreserved() if settings.timing else os.sched_getaffinity(0))


class Hands(Protocol):
    """Those who do the work."""

    def submit(
        self, number: int, task: Task, candidate: Completion, settings: Settings | None = None
    ) -> Future[Judged]:
        """Hand out a candidate under a number that no other has; to be judged as all are, or by settings of
        its own for the same device."""
        ...


@contextlib.contextmanager
def judging(
    settings: Settings,
    *,
    workers: int | None = None,
    zygotes: Zygotes | None = None,
    tell: Tell = untold,
) -> Iterator[Hands]:
    """For who has candidates from time to time and cannot wait for the next; else `verify_many` is simpler.
    Leaving waits for those under way and drops the rest; an interrupt drops those under way, too, and so does
    who stops reading."""
    count = workers or _num_workers(settings)
    with contextlib.ExitStack() as stack:
        if zygotes is not None or count <= THREADS_A_JUDGE:
            yield _Threads(stack, stack.enter_context(zygotes_of_own(zygotes)), settings, count, tell)
        else:
            yield _Processes(stack, settings, count)


class _Threads:
    """Threads of this process."""

    def __init__(
        self, stack: contextlib.ExitStack, zygotes: Zygotes, settings: Settings, count: int, tell: Tell
    ) -> None:
        zygotes.expect(settings.device)
        self._desk = stack.enter_context(contextlib.closing(Desk(zygotes, settings.device, count)))
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="judge")
        stack.callback(zygotes.go_on)
        stack.callback(self._threads.shutdown, wait=True, cancel_futures=True)
        stack.push(self._let_go)  # before: a thread may wait for an answer for minutes
        self._zygotes, self._settings, self._tell = zygotes, settings, tell

    def _let_go(self, raised: type[BaseException] | None, *_: object) -> None:
        self._desk.hang_up()
        if raised in (KeyboardInterrupt, GeneratorExit):  # an interrupt, here or in who reads the verdicts
            self._zygotes.stop()

    def submit(
        self, number: int, task: Task, candidate: Completion, settings: Settings | None = None
    ) -> Future[Judged]:
        how = settings or self._settings
        return self._threads.submit(self._desk.judge, number, task, candidate, how, self._tell)


class _Processes:
    """Judges of their own processes, over all GPUs. Candidates of a task go to the same one."""

    def __init__(self, stack: contextlib.ExitStack, settings: Settings, count: int) -> None:
        number = -(-count // THREADS_A_JUDGE)
        turns = stack.enter_context(tempfile.TemporaryDirectory(prefix="tritonrl-turns-"))
        orders = Orders(-(-count // number), number, turns, settings)
        self._judges = [stack.enter_context(contextlib.closing(Judge(orders))) for _ in range(number)]
        devices = _devices(settings)
        self._settings = settings
        self._devices = [devices[place % len(devices)] for place in range(number)]
        self._last: dict[str, int] = {}

    def submit(
        self, number: int, task: Task, candidate: Completion, settings: Settings | None = None
    ) -> Future[Judged]:
        place = self._last.get(task.source)
        freest = min(range(len(self._judges)), key=lambda each: self._judges[each].load)
        if place is None or self._judges[place].load > self._judges[freest].load + MOST_BEHIND:
            place = freest
            self._last = {**dict(list(self._last.items())[-1000:]), task.source: place}
        how = (settings or self._settings).model_copy(update={"device": self._devices[place]})
        return self._judges[place].submit(number, task, candidate, how)


def _devices(settings: Settings) -> list[str]:
    """All GPUs, where one is asked for and none is named."""
    if settings.device != "cuda":
        return [settings.device]
    import torch

    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]
