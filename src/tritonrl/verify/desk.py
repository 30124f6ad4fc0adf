"""A desk: where candidates are judged one by one, with what is known about their tasks kept at hand."""

import collections
import contextlib
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from tritonrl.errors import TritonrlError
from tritonrl.tasks import Task
from tritonrl.verify.completion import Completion
from tritonrl.verify.judge import verify
from tritonrl.verify.oracle.oracle import Oracle
from tritonrl.verify.roles import VerifierError, Zygotes
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Verdict

ORACLES_BEYOND_WORKERS = 64
"""Exams kept beside those in use: writing one costs as much as a verdict, and most take a megabyte."""
MOST_EXAM_BYTES = 24 * 2**30
"""Of all exams, beyond which those that are not in use go."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Judged:
    """The outcome for candidate number `number`: a verdict, or the error that kept us from one."""

    number: int
    task: Task
    verdict: Verdict | None
    error: TritonrlError | None = None


class Desk:
    """Judges for any number of threads."""

    def __init__(self, zygotes: Zygotes, num_workers: int, num_desks: int = 1) -> None:
        self._zygotes = zygotes
        self._oracles = Oracles(zygotes, num_workers + ORACLES_BEYOND_WORKERS, MOST_EXAM_BYTES // num_desks)

    def judge(self, number: int, task: Task, candidate: Completion, settings: Settings) -> Judged:
        """The outcome, whatever it is."""
        try:
            with self._oracles.of(task, settings) as oracle:
                verdict = verify(task, candidate, settings, zygotes=self._zygotes, oracle=oracle)
            return Judged(number, task, verdict)
        except TritonrlError as error:
            return Judged(number, task, None, error)
        except Exception as error:  # a mistake of ours costs one verdict as well, and is told
            _log.exception("no verdict on candidate %d of %s", number, task.id)
            return Judged(number, task, None, VerifierError(f"{type(error).__name__}: {error}"))

    def close(self) -> None:
        self._oracles.close()


class Oracles:
    """The oracles of the tasks seen last, as many as there is room for."""

    def __init__(self, zygotes: Zygotes, most: int, most_bytes: int) -> None:
        self._zygotes, self._most, self._most_bytes = zygotes, most, most_bytes
        self._lock = threading.Lock()
        self._kept: collections.OrderedDict[tuple[str, str, str], Oracle] = collections.OrderedDict()
        self._num_users: collections.Counter[Oracle] = collections.Counter()

    @contextlib.contextmanager
    def of(self, task: Task, settings: Settings) -> Iterator[Oracle]:
        with self._lock:
            key = (task.source, task.entry, settings.device)
            oracle = self._kept.pop(key, None) or Oracle(self._zygotes, task, settings)
            self._kept[key] = oracle
            self._num_users[oracle] += 1
            self._make_room()
        try:
            yield oracle
        finally:
            with self._lock:
                self._num_users[oracle] -= 1

    def _make_room(self) -> None:
        """Let go of the oldest that nobody uses."""
        size = sum(oracle.size_bytes for oracle in self._kept.values())
        for key, oracle in list(self._kept.items()):
            if len(self._kept) <= self._most and size <= self._most_bytes:
                return
            if not self._num_users[oracle]:
                size -= oracle.size_bytes
                del self._kept[key], self._num_users[oracle]
                oracle.close()

    def close(self) -> None:
        for oracle in self._kept.values():
            oracle.close()
