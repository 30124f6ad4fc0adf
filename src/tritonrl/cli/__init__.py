"""The command line: one thin command per verb, a file each; `entry.py` lists them and is where every way out
becomes an exit code.

Nothing is imported here but what answers an interrupt, so that it is answered while the rest is.
"""

import os
import signal
from types import FrameType

__all__ = ["main"]

IMPORTING = "<frozen importlib"
"""What Python calls the files of its imports."""


def main() -> None:
    """Run the command line; every way out of it is an exit code."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    try:
        from tritonrl.cli.entry import main as run

        run()
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupted(number: int, frame: FrameType | None) -> None:
    """Leave at once from an import: a library that is half imported makes something else of a
    KeyboardInterrupt. What this process has started ends with it."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORTING):
            os.write(2, b"tritonrl: interrupted\n")
            os._exit(130)
        frame = frame.f_back
    raise KeyboardInterrupt
