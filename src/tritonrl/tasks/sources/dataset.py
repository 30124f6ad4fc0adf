"""Rows of a data set, `hf:NAME_OR_PATH` or `hf:NAME_OR_PATH:SPLIT`, read with the `datasets` library.

Two forms of rows are known, by their columns: KernelBench's and KernelBook's. All splits are read unless
one is named. `tritonrl.tasks.sources.hub` opens the data set, this file turns rows into tasks.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tritonrl.tasks.parse import Origin, find_entry_points
from tritonrl.tasks.sources import hub
from tritonrl.tasks.sources.source import Source
from tritonrl.tasks.task import Task, TaskError

_PREFIX = "hf:"


@dataclass(frozen=True)
class _Form:
    """One known set of columns, and how a row of it becomes a Task."""

    name: str
    columns: dict[str, type]
    task: Callable[[dict[str, Any], Origin], Task]


def _kernelbench(row: dict[str, Any], origin: Origin) -> Task:
    level, problem, name = row["level"], row["problem_id"], row["name"].removesuffix(".py")
    stem = name if name.startswith(f"{problem}_") else f"{problem}_{name}"
    found = find_entry_points(row["code"], origin)
    return Task(
        id=f"level{level}/{stem}",
        kind=found.kind,
        source=row["code"],
        entry=found.entry,
        init_style=found.init_style,
        level=level,
        problem=problem,
    )


def _kernelbook(row: dict[str, Any], origin: Origin) -> Task:
    # Its get_init_inputs() returns [[arguments…], {keywords}] by convention.
    found = find_entry_points(
        row["python_code"], origin, entry=row["entry_point"], init_default="args_kwargs"
    )
    return Task(
        id=str(row["uuid"]),
        kind=found.kind,
        source=row["python_code"],
        entry=found.entry,
        init_style=found.init_style,
    )


_FORMS = (
    _Form("KernelBench", {"code": str, "level": int, "name": str, "problem_id": int}, _kernelbench),
    # The uuid is a number in the published set and a string in its descendants: any type serves as a name.
    _Form("KernelBook", {"python_code": str, "entry_point": str, "uuid": object}, _kernelbook),
)


def _load(spec: str) -> Iterator[Task]:
    name, split = _split_spec(spec.removeprefix(_PREFIX))
    if not name:
        raise TaskError(spec, f"names no data set; expected {SOURCE.form}")
    splits = hub.open_splits(name)
    if split is not None and split not in splits:
        raise TaskError(f"{_PREFIX}{name}", f"unknown split {split!r}; known: {', '.join(splits)}")
    empty = True
    for key in [split] if split is not None else splits:
        for task in _tasks(name, key, splits[key]):
            empty = False
            yield task
    if empty:
        raise TaskError(spec, "has no rows")


def _split_spec(text: str) -> tuple[str, str | None]:
    """Name and split; a colon may belong to a local path."""
    name, colon, split = text.rpartition(":")
    if not colon or os.path.exists(text):
        return text, None
    return name, split


def _tasks(name: str, split: str, rows: Iterable[dict[str, Any]]) -> Iterator[Task]:
    for number, row in enumerate(rows, start=1):
        origin = Origin(f"{_PREFIX}{name} split {split} row {number}", is_file=False)
        yield _form(row, origin).task(row, origin)


def _form(row: dict[str, Any], origin: Origin) -> _Form:
    for form in _FORMS:
        if form.columns.keys() <= row.keys():
            for column, kind in form.columns.items():
                if row[column] is None or not isinstance(row[column], kind):
                    found = "nothing" if row[column] is None else type(row[column]).__name__
                    raise TaskError(
                        origin.name, f"column {column!r}: expected {kind.__name__}, found {found}"
                    )
            return form
    known = " or ".join(f"{', '.join(form.columns)} ({form.name})" for form in _FORMS)
    raise TaskError(origin.name, f"unknown columns {', '.join(row)}; expected at least {known}")


SOURCE = Source(
    form="hf:NAME_OR_PATH or hf:NAME_OR_PATH:SPLIT",
    matches=lambda spec: spec.startswith(_PREFIX),
    load=_load,
    one="a file or a row of a JSONL",
)
