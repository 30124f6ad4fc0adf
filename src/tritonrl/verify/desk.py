"""A desk: where candidates are judged one by one, with what is known about their tasks kept at hand."""

import collections
import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial

import torch

from tritonrl.errors import TritonrlError
from tritonrl.llm import Client
from tritonrl.tasks import Task
from tritonrl.verify.completion import Completion
from tritonrl.verify.judge import verify
from tritonrl.verify.oracle.oracle import Aside, Oracle
from tritonrl.verify.roles import DeviceFull, VerifierError
from tritonrl.verify.rubric.asking import open_model
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Judged, Layer
from tritonrl.verify.zygotes import Zygotes

ORACLES_BEYOND_WORKERS = 64
"""Exams kept beside those in use: writing one costs as much as a verdict, and most take a megabyte."""
MOST_EXAM_BYTES = 24 * 2**30
"""Of all exams in this machine's memory."""
SHARE_OF_DEVICE = 0.3
"""Of a device's memory for all exams there; candidates, their inputs and comparisons need the rest. Of
programs of five operators one in forty needs a tenth of an H200 for its own, and all wait for those that do
not fit."""

_log = logging.getLogger(__name__)


Tell = Callable[[int, Layer], None]
"""Hears of each layer that a candidate, by its number, is through."""


def untold(number: int, layer: Layer) -> None:
    """For a caller who waits for verdicts."""


class Desk:
    """Judges for any number of threads."""

    def __init__(self, zygotes: Zygotes, device: str, num_workers: int, num_desks: int = 1) -> None:
        self._zygotes = zygotes
        most = num_workers + ORACLES_BEYOND_WORKERS
        self._oracles = Oracles(zygotes, most, lambda: _exam_bytes(device) // num_desks)
        self._models: dict[str, Client] = {}
        self._opening = threading.Lock()

    def judge(
        self, number: int, task: Task, candidate: Completion, settings: Settings, tell: Tell = untold
    ) -> Judged:
        """The outcome, whatever it is. Who finds the device full tries again, and then once more when nobody
        else is here, for which all others must wait."""
        failure: TritonrlError | None = None
        for alone in (False, False, True):
            try:
                model = self._model(settings.judge)
                with self._oracles.of(task, settings, alone=alone) as oracle:
                    if alone and settings.device != "cpu":
                        torch.cuda.empty_cache()  # what this process keeps for later is wanted now
                    verdict = verify(
                        task, candidate, settings, zygotes=self._zygotes, oracle=oracle, model=model,
                        crowded=not alone, tell=partial(tell, number),
                    )  # fmt: skip
                return Judged(number, task, verdict)
            except TritonrlError as error:
                failure = _bare(error)
            except Exception as error:  # a mistake of ours costs one verdict as well, and is told
                _log.exception("no verdict on candidate %d of %s", number, task.id)
                failure = VerifierError(f"{type(error).__name__}: {error}")
            if not isinstance(failure, DeviceFull):
                break
            _log.info("candidate %d of %s is tried again: %s", number, task.id, failure)
        return Judged(number, task, None, failure)

    def is_ready(self, task: Task, settings: Settings) -> bool:
        """Whether what the task needs is there."""
        return self._oracles.has_exam(task, settings)

    def _model(self, name: str | None) -> Client | None:
        """The language model that judges, one client for all threads."""
        with self._opening:
            if name and name not in self._models:
                self._models[name] = open_model(name)
            return self._models[name] if name else None

    def hang_up(self) -> None:
        """Wait for no language model any more."""
        with self._opening:
            for model in self._models.values():
                model.close()

    def close(self) -> None:
        self.hang_up()
        self._oracles.close()


def _bare(error: TritonrlError) -> TritonrlError:
    """Without the frames that it came through: they hold what filled the device."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _exam_bytes(device: str) -> int:
    if device == "cpu":
        return MOST_EXAM_BYTES
    return int(SHARE_OF_DEVICE * torch.cuda.get_device_properties(device).total_memory)


class Oracles:
    """The oracles of the tasks seen last, as many as there is room for. Who writes a large exam waits until
    those in use leave room for it."""

    def __init__(self, zygotes: Zygotes, most: int, most_bytes: Callable[[], int]) -> None:
        self._zygotes, self._most, self._most_bytes = zygotes, most, most_bytes
        self._changed = threading.Condition()
        self._kept: collections.OrderedDict[tuple[str, str, str], Oracle] = collections.OrderedDict()
        self._num_users: collections.Counter[Oracle] = collections.Counter()
        self._claimed: dict[Oracle, int] = {}
        self._one_at_a_time = threading.Lock()
        self._someone_alone = False

    @contextlib.contextmanager
    def of(self, task: Task, settings: Settings, *, alone: bool = False) -> Iterator[Oracle]:
        """That of a task, while it is used; `alone`, when no other is in use nor kept."""
        with self._alone() if alone else contextlib.nullcontext(), self._used(task, settings, alone) as used:
            yield used

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with self._one_at_a_time:
            with self._changed:
                self._someone_alone = True
                self._changed.wait_for(lambda: not self._num_users.total())
                self._let_go(self._most_bytes())
            try:
                yield
            finally:
                with self._changed:
                    self._someone_alone = False
                    self._changed.notify_all()

    @contextlib.contextmanager
    def _used(self, task: Task, settings: Settings, alone: bool) -> Iterator[Oracle]:
        with self._changed:
            self._changed.wait_for(lambda: alone or not self._someone_alone)
            key = _key(task, settings)
            oracle = self._kept.pop(key, None) or Oracle(self._zygotes, task, settings, self._claim)
            self._kept[key] = oracle
            self._num_users[oracle] += 1
            self._let_go(0)
        try:
            yield oracle
        finally:
            with self._changed:
                self._num_users[oracle] -= 1
                self._changed.notify_all()

    def has_exam(self, task: Task, settings: Settings) -> bool:
        oracle = self._kept.get(_key(task, settings))
        return oracle is not None and oracle.has_exam

    def _claim(self, oracle: Oracle, size_bytes: int, aside: Aside) -> None:
        if not self._claims(oracle, size_bytes, patience_s=0.0):
            with aside:
                self._claims(oracle, size_bytes, patience_s=None)

    def _claims(self, oracle: Oracle, size_bytes: int, patience_s: float | None) -> bool:
        """Whether it has its room, in time."""
        with self._changed:
            # One that has its room does not wait for more: two of those could wait for each other.
            has_room = self._changed.wait_for(
                lambda: oracle in self._claimed or self._has_room(size_bytes), patience_s
            )
            if has_room:
                self._claimed[oracle] = max(size_bytes, self._claimed.get(oracle, 0))
            return has_room

    def _has_room(self, size_bytes: int) -> bool:
        """Whether so much fits; the largest does where no other is in use."""
        self._let_go(size_bytes)
        others = [each for each in self._claimed if self._num_users[each]]
        return not others or size_bytes + sum(map(self._size, self._kept.values())) <= self._most_bytes()

    def _let_go(self, wanted_bytes: int) -> None:
        """Close the oldest that nobody uses, until there is room."""
        size = wanted_bytes + sum(map(self._size, self._kept.values()))
        for key, oracle in list(self._kept.items()):
            # Nothing is asked of a device before there is something on it.
            if len(self._kept) <= self._most and (not size or size <= self._most_bytes()):
                return
            if not self._num_users[oracle]:
                size -= self._size(oracle)
                del self._kept[key], self._num_users[oracle]
                self._claimed.pop(oracle, None)
                oracle.close()

    def _size(self, oracle: Oracle) -> int:
        return max(oracle.size_bytes, self._claimed.get(oracle, 0))

    def close(self) -> None:
        for oracle in self._kept.values():
            oracle.close()


def _key(task: Task, settings: Settings) -> tuple[str, str, str]:
    return task.source, task.entry, settings.device
