"""An interrupt asks a run to end in good order; a second one ends it at once."""

import contextlib
import signal
import threading
from typing import Any


class Interrupt(contextlib.AbstractContextManager["Interrupt"]):
    """While it is open, Ctrl-C is remembered and goes no further."""

    def __init__(self) -> None:
        self.has_come = False
        self._before: Any = None

    def __enter__(self) -> "Interrupt":
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._come)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _come(self, *_: object) -> None:
        if self.has_come:
            raise KeyboardInterrupt
        self.has_come = True
