"""The budget of a GPU's memory: who judges says beforehand what that takes, and waits while there is less.

Nobody can know what a candidate takes. What its task needs is known, and a device that is full all the same
costs time but no verdict (`DeviceFull`).
"""

import contextlib
import threading
from collections.abc import Callable, Iterator


class Budget:
    """So many bytes for all threads of a judge."""

    def __init__(self, most_bytes: Callable[[], int]) -> None:
        self._most_bytes = most_bytes
        self._changed = threading.Condition()
        self._spent_bytes = 0

    @contextlib.contextmanager
    def spent(self, size_bytes: int) -> Iterator[None]:
        """Have so many of them; more than there are, when nobody has any."""
        with self._changed:
            self._changed.wait_for(
                lambda: not self._spent_bytes or self._spent_bytes + size_bytes <= self._most_bytes()
            )
            self._spent_bytes += size_bytes
        try:
            yield
        finally:
            with self._changed:
                self._spent_bytes -= size_bytes
                self._changed.notify_all()
