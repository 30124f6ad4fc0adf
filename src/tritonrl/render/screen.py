"""Where it is shown: stdout for results, stderr for what moves while they are made."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.syntax import Syntax


def console() -> Console:
    """Stdout; wide where it is no terminal, so that a pipe loses nothing."""
    return Console(width=None if sys.stdout.isatty() else 240)


def bars() -> Progress:
    """On stderr, gone when the work is done; nothing where stderr is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    stderr = Console(stderr=True)
    return Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr that is gone when the work is done; the function given moves it."""
    with progresses() as told:
        told(what, 0, total)
        yield lambda done: told(what, done, total)


@contextmanager
def progresses() -> Iterator[Callable[[str, int, int], None]]:
    """The same for several things, each from when it is first told of."""
    with bars() as bar:
        tasks: dict[str, TaskID] = {}

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

        yield told


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A moving sign on stderr while something takes its time; nothing where stderr is no terminal."""
    stderr = Console(stderr=True)
    if not stderr.is_terminal:
        yield
        return
    with stderr.status(what):
        yield


def source(text: str) -> Syntax:
    """Python source, highlighted, on the terminal's own background."""
    return Syntax(text.rstrip(), "python", background_color="default", word_wrap=True)
