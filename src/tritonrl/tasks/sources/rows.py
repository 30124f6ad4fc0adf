"""Rows of a JSONL as `synth` writes it: all, `FILE.jsonl`, or one, `FILE.jsonl:ID` or `FILE.jsonl:LINE`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tritonrl import jsonl
from tritonrl.tasks.parse import Origin, find_entry_points
from tritonrl.tasks.sources.source import Source
from tritonrl.tasks.task import Task, TaskError

_SPEC = re.compile(r"(?P<path>.+?\.jsonl)(?::(?P<key>.+))?", re.DOTALL)


class _Row(BaseModel):
    """What a task needs of a row; `synth` also records how it was drawn (seed, profile, index)."""

    model_config = ConfigDict(strict=True, extra="ignore")

    id: str
    source: str
    level: int | None = None
    ops: list[str] | None = None
    program: dict[str, Any] | None = None


def _load(spec: str) -> Iterator[Task]:
    match = _SPEC.fullmatch(spec)
    # A colon may belong to the file's own name.
    if match is None or match["key"] is None or os.path.isfile(spec):
        yield from _all(Path(spec))
    else:
        yield _one(Path(match["path"]), match["key"])


def _all(path: Path) -> Iterator[Task]:
    empty = True
    for number, row in jsonl.read(path):
        empty = False
        yield _task(path, number, row)
    if empty:
        raise TaskError(str(path), "has no rows; expected one task a line")


def _one(path: Path, key: str) -> Task:
    """The row of that id; where no row has it, the row on that line."""
    by_line: tuple[int, dict[str, Any]] | None = None
    for number, row in jsonl.read(path):
        if row.get("id") == key:
            return _task(path, number, row)
        if str(number) == key:
            by_line = number, row
    if by_line is None:
        raise TaskError(str(path), f"no row with id {key!r}, and no such line")
    return _task(path, *by_line)


def _task(path: Path, number: int, row: dict[str, Any]) -> Task:
    where = f"{path}:{number}"
    try:
        fields = _Row.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise TaskError(where, f"field {name!r}: {first['msg']}; expected at least id and source") from error
    found = find_entry_points(fields.source, Origin(where, is_file=False))
    return Task(
        id=fields.id,
        kind=found.kind,
        source=fields.source,
        entry=found.entry,
        init_style=found.init_style,
        path=str(path),
        level=fields.level,
        program=fields.program,
        ops=None if fields.ops is None else tuple(fields.ops),
    )


SOURCE = Source(
    form="FILE.jsonl, FILE.jsonl:ID or FILE.jsonl:LINE",
    matches=lambda spec: _SPEC.fullmatch(spec) is not None,
    load=_load,
    one="FILE.jsonl:ID",
)
