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
from collections.abc import Iterator

LOOK_SECONDS = 0.005
"""How often a thread looks whether another process has what it wished for."""


class Turns:
    """One GPU. `path` is where the files lie by which judges agree; None where there is one judge."""

    def __init__(self, path: str | None = None) -> None:
        self._changed = threading.Condition()
        self._num_sharing = 0
        self._num_waiting = 0
        """Threads of this process that want to be alone."""
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

    def give_way(self) -> None:
        """Let those pass who want to be alone."""
        if self._shares and (self._num_waiting or self._neighbours.wish()):
            self._leave()
            self._join()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Have the device to oneself."""
        with self.apart():
            with self._changed:
                self._num_waiting += 1
                try:
                    self._changed.wait_for(lambda: not self._alone and not self._num_sharing)
                    self._alone = True
                finally:
                    self._num_waiting -= 1
            try:
                with self._neighbours.gone():
                    yield
            finally:
                with self._changed:
                    self._alone = False
                    self._changed.notify_all()

    def _join(self) -> None:
        with self._changed:
            # Those who wait to be alone go first: there are never many, and each takes a fraction of a
            # second.
            while self._alone or self._num_waiting or (self._num_sharing and self._neighbours.wish()):
                self._changed.wait(LOOK_SECONDS)
            if not self._num_sharing:
                self._neighbours.join()
            self._num_sharing += 1
        self._mine.shares = True

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

    def join(self) -> None: ...

    def leave(self) -> None: ...

    def gone(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


class _Neighbours(_Nobody):
    """Other judges at the same GPU: two files, locked by those who use it and by who wishes to be alone."""

    def __init__(self, path: str) -> None:
        self._paths = (f"{path}.use", f"{path}.wish")
        self._use, self._wish = (os.open(each, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC) for each in self._paths)

    def wish(self) -> bool:
        """Whether one of them wants to be alone, or is."""
        try:
            fcntl.flock(self._wish, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self._wish, fcntl.LOCK_UN)
        return False

    def join(self) -> None:
        fcntl.flock(self._wish, fcntl.LOCK_SH)
        fcntl.flock(self._use, fcntl.LOCK_SH)
        fcntl.flock(self._wish, fcntl.LOCK_UN)

    def leave(self) -> None:
        fcntl.flock(self._use, fcntl.LOCK_UN)

    @contextlib.contextmanager
    def gone(self) -> Iterator[None]:
        """None of them uses the device."""
        with contextlib.ExitStack() as stack:
            for path in reversed(self._paths):
                file = stack.enter_context(open(path, "rb"))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield
