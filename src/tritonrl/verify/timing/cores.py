"""Cores for those who are timed: nothing else runs on them.

A host that makes kernels wait is timed with them, and no two cores of a machine are equally fast at a moment.
Those who are compared therefore take turns on one core; the clock has another. A core is reserved with all
threads that it runs at a time: they slow each other down.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

LEAST_CORES = 8
"""Of a machine on which some can be spared."""
NUM_RESERVED = 2
"""For those who are compared, and for the clock."""
TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"

Core = tuple[int, ...]
"""The numbers that the system gives to its threads."""


def reserved() -> list[Core]:
    """The cores of this machine that are kept for timing."""
    cores = sorted({_core_of(thread) for thread in range(os.cpu_count() or 1)})
    return cores[-NUM_RESERVED:] if len(cores) >= LEAST_CORES else []


def _core_of(thread: int) -> Core:
    try:
        ranges = Path(TOPOLOGY.format(thread)).read_text().strip().split(",")
        ends = [[int(end) for end in each.split("-")] for each in ranges]
    except (OSError, ValueError):
        return (thread,)
    return tuple(number for end in ends for number in range(end[0], end[-1] + 1))


def unreserved() -> set[int]:
    """Where this process may run without disturbing who is timed."""
    own = os.sched_getaffinity(0)
    return own - {thread for core in reserved() for thread in core} or own


def leave_reserved() -> None:
    """From now on this process and what it starts keep off the reserved cores."""
    os.sched_setaffinity(0, unreserved())


@contextlib.contextmanager
def on_reserved(*groups: Sequence[int]) -> Iterator[Callable[[], None]]:
    """The processes of each group on a reserved core, where there are any. The function that is given moves
    each group to the next core: a spell of one need not be one of the other."""
    cores, before = reserved(), {}
    for pid in (pid for group in groups for pid in group):
        with contextlib.suppress(OSError):
            before[pid] = os.sched_getaffinity(pid)

    def place() -> None:
        for pids, core in zip(groups, cores, strict=False):
            for pid in pids:
                _keep_to(pid, {core[0]})

    def move() -> None:
        cores.append(cores.pop(0))
        place()

    place()
    try:
        yield move if cores else lambda: None
    finally:
        for pid, own in before.items():
            _keep_to(pid, own)


def _keep_to(pid: int, cores: set[int]) -> None:
    with contextlib.suppress(OSError):  # it is gone, or the core is not ours to give
        os.sched_setaffinity(pid, cores)
