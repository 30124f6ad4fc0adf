"""Turns at a GPU: everybody shares it, until somebody who measures time needs it alone.

A thread that verifies holds its share all along, and gives way before each step of a process there
(`Process.ask`), when nothing of its own is under way on the device. While it compiles it stands apart. Who
measures waits until all others have given way or stand apart.
"""

import contextlib
import threading
from collections.abc import Iterator


class Turns:
    """One GPU."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._num_sharing = 0
        self._num_waiting = 0
        """Those that want to be alone."""
        self._alone = False
        self._mine = threading.local()

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
        if self._num_waiting and self._shares:
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
                yield
            finally:
                with self._changed:
                    self._alone = False
                    self._changed.notify_all()

    def _join(self) -> None:
        with self._changed:
            # Those who wait to be alone go first: there are never many, and each takes a fraction of a
            # second.
            self._changed.wait_for(lambda: not self._alone and not self._num_waiting)
            self._num_sharing += 1
        self._mine.shares = True

    def _leave(self) -> None:
        self._mine.shares = False
        with self._changed:
            self._num_sharing -= 1
            self._changed.notify_all()
