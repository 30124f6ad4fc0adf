"""JSON Lines that survive an interrupt: whole lines only, and a torn tail is cut off on resume."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tritonrl.errors import UserError


def dumps(row: Any) -> str:
    """One compact line without its newline; the same row always gives the same bytes."""
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False)


def read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, row); a line that is not a JSON object is an error that names it."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, _parse(path, number, line)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UserError(f"{path}: cannot be read: {reason}") from error


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits is a plain ValueError, brackets nested thousands deep a
        # RecursionError.
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number or nesting without end"
        raise UserError(f"{path}:{number}: not valid JSON: {reason}") from error
    if not isinstance(row, dict):
        raise UserError(f"{path}:{number}: expected a JSON object, found {type(row).__name__}")
    return row


def drop_torn_tail(path: Path) -> None:
    """Cut the file after its last newline: a write that was interrupted leaves no half line."""
    with path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
