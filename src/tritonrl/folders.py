"""Folders of runs: a record a line, whole lines only, kept as they come."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tritonrl import jsonl
from tritonrl.errors import UserError

Record = TypeVar("Record", bound=BaseModel)


def as_row(record: BaseModel) -> dict[str, Any]:
    """What a line holds: the fields that have a value."""
    return {name: each for name, each in record.model_dump(mode="json").items() if each is not None}


def read(path: Path, kind: type[Record]) -> Iterator[Record]:
    """The records of a file, none where there is no file; a line that is none is an error that names it."""
    if not path.exists():
        return
    for number, row in jsonl.read(path):
        if isinstance(row.get("verdict"), dict):
            row["verdict"].pop("accepted", None)  # which follows from the rest
        try:
            yield kind.model_validate(row)
        except ValidationError as error:
            raise UserError(f"{path}:{number}: not a line of a run: {first_line(error)}") from error


@contextmanager
def appending(path: Path) -> Iterator[Callable[[BaseModel], None]]:
    """A function that writes a record to the end of a file, at once."""
    with path.open("a", encoding="utf-8") as file:

        def write(record: BaseModel) -> None:
            file.write(f"{jsonl.dumps(as_row(record))}\n")
            file.flush()

        yield write


def first_line(error: ValueError) -> str:
    """The first thing that is wrong with a record."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"field {'.'.join(map(str, first['loc']))!r}: {first['msg']}"
