"""A folder of task files, in the order of level, problem number and name.

Every `.py` file below it is a task, except `__init__.py`, hidden files and folders, and `__pycache__`. A
file that is no task is an error that names it: a benchmark with a problem missing is a different benchmark.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from tritonrl.tasks.sources.file import numbers, task_from_file
from tritonrl.tasks.sources.source import Source
from tritonrl.tasks.task import Task, TaskError


def _load(spec: str) -> Iterator[Task]:
    for path in files(spec):
        yield task_from_file(path, root=Path(spec))


def files(spec: str) -> list[Path]:
    """The files that are tasks or should be."""
    root = Path(spec)
    paths = sorted(_python_files(root), key=lambda path: _order(path, root))
    if not paths:
        raise TaskError(spec, "has no Python files; expected a folder of task files")
    return paths


def _python_files(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for name in files:
            if name.endswith(".py") and not name.startswith(".") and name != "__init__.py":
                yield Path(folder, name)


def _refuse(error: OSError) -> NoReturn:
    raise TaskError(str(error.filename), f"cannot be read: {error.strerror}") from error


def _order(path: Path, root: Path) -> tuple[float, float, list[tuple[int, str]]]:
    """Level, problem number, then the name with its numbers compared as numbers; what has none comes last."""
    level, problem = numbers(path)
    parts = re.findall(r"[0-9]+|[^0-9]+", path.relative_to(root).as_posix())
    natural = [(int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts]
    return (
        float("inf") if level is None else level,
        float("inf") if problem is None else problem,
        natural,
    )


SOURCE = Source(form="FOLDER", matches=os.path.isdir, load=_load, one="FOLDER/FILE.py")
