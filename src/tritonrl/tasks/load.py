"""From what a user types to Tasks: `load_task` for exactly one, `load_tasks` for all that a spec names.

Both raise `UserError` with one line for whatever is wrong with the input, and execute none of it.
`load_tasks` reads as it goes: an error in the third file comes after the first two tasks.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from tritonrl.tasks.sources import Source, dataset, file, folder, rows
from tritonrl.tasks.task import Task, TaskError

# Order matters where a spec fits two: an existing folder is one, whatever its name ends with.
SOURCES: tuple[Source, ...] = (dataset.SOURCE, folder.SOURCE, rows.SOURCE, file.SOURCE)


def load_task(spec: str | Path) -> Task:
    """The one task of `FILE.py`, `FILE.py:Name`, `FILE.jsonl:ID`; an error where the spec names several."""
    tasks = list(itertools.islice(load_tasks(spec), 2))
    if len(tasks) != 1:
        raise TaskError(str(spec), f"names several tasks; name one, as {_source(str(spec)).one}")
    return tasks[0]


def load_tasks(spec: str | Path) -> Iterator[Task]:
    """All tasks of a file, folder, JSONL or data set, at least one, in a stable order."""
    return _source(str(spec)).load(str(spec))


def load_each(spec: str | Path) -> Iterator[tuple[str, Task | TaskError]]:
    """The same with a name for each, and of a folder what is no task too: file by file, with its reason."""
    if _source(str(spec)) is not folder.SOURCE:
        yield from ((task.id, task) for task in load_tasks(spec))
        return
    for path in folder.files(str(spec)):
        try:
            task = file.task_from_file(path, root=Path(spec))
            yield task.id, task
        except TaskError as error:
            yield path.relative_to(spec).with_suffix("").as_posix(), error


def _source(spec: str) -> Source:
    try:
        # No file can have such a name, and asking the system for it raises ValueError.
        valid = b"\0" not in os.fsencode(spec)
    except ValueError:
        valid = False
    for source in SOURCES if valid else ():
        if source.matches(spec):
            return source
    forms = "; ".join(source.form for source in SOURCES)
    what = "not a task" if valid and os.path.exists(spec) else "no such file or folder"
    raise TaskError(repr(spec), f"{what}; expected one of: {forms}")
