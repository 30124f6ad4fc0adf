"""Processes that make programs: forked from one that has imported torch, gone when their parent is."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

CONTEXT = multiprocessing.get_context("forkserver")
"""Workers are forked from a server that has imported torch and run nothing: one import, not one each."""

WORTH_A_POOL = 500
"""Programs, below which one process is done before others have started."""


def workers_for(count: int) -> int:
    """Processes for so many programs, where nobody says how many."""
    return 1 if count < WORTH_A_POOL else len(os.sched_getaffinity(0))


@contextmanager
def pool(
    workers: int, start: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[ProcessPoolExecutor]:
    """Workers; each calls `start(*arguments)` first. What they have begun is finished before this ends."""
    CONTEXT.set_forkserver_preload(["tritonrl.synth.sample", "tritonrl.synth.health"])
    processes = ProcessPoolExecutor(workers, CONTEXT, initializer=_start_worker, initargs=(start, arguments))
    try:
        yield processes
    finally:
        processes.shutdown(cancel_futures=True)


def limit_threads() -> None:
    """One core for one process."""
    import torch

    torch.set_num_threads(1)


def _start_worker(start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    limit_threads()
    if start is not None:
        start(*arguments)


def _leave_with_parent() -> None:
    """End when the process that started the pool is gone: a worker would wait for its next chunk for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
