"""One Python file, `FILE.py`, or one class of it, `FILE.py:Name`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tritonrl.tasks.parse import Origin, find_entry_points, read_source
from tritonrl.tasks.sources.source import Source
from tritonrl.tasks.task import Task

_SPEC = re.compile(r"(?P<path>.+?\.py)(?::(?P<entry>.+))?", re.DOTALL)
_LEVEL = re.compile(r"level[_-]?([0-9]+)", re.IGNORECASE)
_PROBLEM = re.compile(r"([0-9]+)_")


def task_from_file(path: Path, *, root: Path | None = None, entry: str | None = None) -> Task:
    """The task of a file; its id is the path below `root`, with the level's folder where there is one."""
    source = read_source(path)
    found = find_entry_points(source, Origin(str(path)), entry=entry)
    level, problem = numbers(path)
    name = (path.relative_to(root) if root else Path(path.name)).with_suffix("").as_posix()
    if level is not None and "/" not in name:
        name = f"{path.absolute().parent.name}/{name}"
    return Task(
        id=f"{name}:{entry}" if entry else name,
        kind=found.kind,
        source=source,
        entry=found.entry,
        init_style=found.init_style,
        path=str(path),
        level=level,
        problem=problem,
    )


def numbers(path: Path) -> tuple[int | None, int | None]:
    """Level and problem number of `level1/19_Name.py`; None for what the path does not say."""
    level = _LEVEL.fullmatch(path.absolute().parent.name)
    problem = _PROBLEM.match(path.name)
    return (int(level[1]) if level else None, int(problem[1]) if problem else None)


def _load(spec: str) -> Iterator[Task]:
    match = _SPEC.fullmatch(spec)
    # A colon may belong to the file's own name.
    if match is None or os.path.isfile(spec):
        yield task_from_file(Path(spec))
    else:
        yield task_from_file(Path(match["path"]), entry=match["entry"])


SOURCE = Source(
    form="FILE.py or FILE.py:Name",
    matches=lambda spec: _SPEC.fullmatch(spec) is not None,
    load=_load,
    one="FILE.py:Name",
)
