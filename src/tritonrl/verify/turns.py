"""Turns at a GPU: everybody shares it, until somebody who measures time needs it alone.

A thread that verifies holds its share all along, and gives way before each step of a process there
(`Process.ask`), when nothing of its own is under way on the device. While it compiles it stands apart. Who
measures waits until all others have given way or stand apart: threads of this process, and those of other
judges that keep to the same files.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

LOOK_SECONDS = 0.005
"""How often a thread looks whether another process has what it wished for."""
PATIENCE_SECONDS = 1.5
"""How long one waits for others who want to be alone, too: all who share must give way, and that is dear."""
ENOUGH = 4
"""Of them, that need not wait for more."""
MOST_STARTING, MOST_STARTING_SOON = 4, 2
"""Processes that start CUDA at a time, and those that do while somebody waits to be alone. An H200's driver
makes eight a second where four start at a time and nine where eight do, and half of that while the device is
busy; each of the eight takes twice as long, and who wants to measure time waits for all that have begun."""


class Turns:
    """One GPU. `path` is where the files lie by which judges agree; None where there is one judge."""

    def __init__(self, path: str | None = None, num_judges: int = 1) -> None:
        self._num_judges = num_judges
        self._changed = threading.Condition()
        self._num_sharing = 0
        self._num_starting = 0
        self._num_waiting = 0
        """Threads of this process that want to be alone."""
        self._num_patient = 0
        """Those that will, and wait for company."""
        self._alone = False
        self._mine = threading.local()
        self._neighbours = _Neighbours(path) if path else _Nobody()

    @property
    def _shares(self) -> bool:
        return getattr(self._mine, "shares", False)

    @contextlib.contextmanager
    def sharing(self) -> Iterator[None]:
        """Use the device beside others."""
        self._join()
        try:
            yield
        finally:
            self._leave()

    @contextlib.contextmanager
    def apart(self) -> Iterator[None]:
        """Within `sharing`: a while without the device."""
        if not self._shares:
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._join()

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Within `sharing`: have a process start that will use the device."""
        with self.apart(), self._changed:
            self._changed.wait_for(lambda: self._num_starting < self._most_starting)
            self._num_starting += 1
        try:
            yield
        finally:
            with self._changed:
                self._num_starting -= 1
                self._changed.notify_all()

    @property
    def _most_starting(self) -> int:
        return max(1, (MOST_STARTING_SOON if self._num_patient else MOST_STARTING) // self._num_judges)

    def give_way(self) -> None:
        """Let those pass who want to be alone."""
        if self._shares and (self._num_waiting or self._neighbours.wish()):
            self._leave()
            self._join()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Have the device to oneself. All who wish it at a time have it one after the other, before anybody
        shares it again."""
        with self.apart():
            self._wait_for_company()
            with self._neighbours.told(), self._alone_here(), self._neighbours.gone():
                yield

    def _wait_for_company(self) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        with self._changed:
            self._num_patient += 1
            while time.monotonic() < until and self._num_sharing and not self._is_company():
                self._changed.wait(LOOK_SECONDS)
            self._num_patient -= 1
            self._changed.notify_all()

    def _is_company(self) -> bool:
        some = self._alone or self._num_waiting > 0 or self._num_patient >= ENOUGH
        return some or self._neighbours.wish()

    @contextlib.contextmanager
    def _alone_here(self) -> Iterator[None]:
        """Of the threads of this process."""
        with self._changed:
            self._num_waiting += 1
            try:
                self._changed.wait_for(lambda: not self._alone and not self._num_sharing)
                self._alone = True
            finally:
                self._num_waiting -= 1
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()

    def _join(self) -> None:
        with self._changed:
            # Those who wait to be alone go first: there are never many, and each takes a fraction of a
            # second.
            while self._alone or self._num_waiting or not self._may_join():
                self._changed.wait(LOOK_SECONDS)
            self._num_sharing += 1
        self._mine.shares = True

    def _may_join(self) -> bool:
        return not self._neighbours.wish() and (self._num_sharing > 0 or self._neighbours.join())

    def _leave(self) -> None:
        self._mine.shares = False
        with self._changed:
            self._num_sharing -= 1
            if not self._num_sharing:
                self._neighbours.leave()
            self._changed.notify_all()


class _Nobody:
    """No other judge."""

    def wish(self) -> bool:
        return False

    def join(self) -> bool:
        return True

    def leave(self) -> None: ...

    def told(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    def gone(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()


class _Neighbours(_Nobody):
    """Other judges at the same GPU: two files, locked by those who use it and by those who wish to be
    alone."""

    def __init__(self, path: str) -> None:
        self._paths = {name: f"{path}.{name}" for name in ("use", "wish")}
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._use, self._wish = (os.open(each, flags) for each in self._paths.values())

    def wish(self) -> bool:
        """Whether one of them wants to be alone, or is."""
        if not _locks(self._wish, fcntl.LOCK_EX):
            return True
        fcntl.flock(self._wish, fcntl.LOCK_UN)
        return False

    def join(self) -> bool:
        """Use the device, unless one of them is alone there."""
        return _locks(self._use, fcntl.LOCK_SH)

    def leave(self) -> None:
        fcntl.flock(self._use, fcntl.LOCK_UN)

    def told(self) -> contextlib.AbstractContextManager[Any]:
        """They know that one of us wants to be alone; any number may."""
        return self._held("wish", fcntl.LOCK_SH)

    def gone(self) -> contextlib.AbstractContextManager[Any]:
        """None of them uses the device."""
        return self._held("use", fcntl.LOCK_EX)

    @contextlib.contextmanager
    def _held(self, name: str, kind: int) -> Iterator[None]:
        with open(self._paths[name], "rb") as file:
            fcntl.flock(file, kind)
            yield


def _locks(file: int, kind: int) -> bool:
    """Whether a lock could be had at once."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
