"""The library: kernels that were verified once, for every later search on this machine.

A SQLite file; any number of processes may use it, and one that is killed while it writes leaves it whole. An
entry is one program's kernel with its plan and its verdict, for a device, a precision, a policy and versions
of torch, triton and tritonrl. Nothing in it is believed: whoever takes a kernel has it judged again, in a few
calls where all of that is the same, as anything new where it is not. A line that was changed since it was
written is passed over.
"""

import contextlib
import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.folders import first_line
from tritonrl.program import Program, ProgramError
from tritonrl.verify.keeping import cache_folder
from tritonrl.verify.verdict import Verdict

SCHEMA_VERSION = 1
WAIT_SECONDS = 60.0
"""For another process that writes."""
TABLE = """
CREATE TABLE IF NOT EXISTS kernels (
    fragment TEXT NOT NULL, device TEXT NOT NULL, precision TEXT NOT NULL, versions TEXT NOT NULL,
    entry TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (fragment, device, precision, versions)
)
"""

_log = logging.getLogger(__name__)


class Entry(BaseModel):
    """A kernel for a program."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fragment: str
    """`program_id` of the program."""
    program: dict[str, Any]
    device: str
    """`cpu`, where kernels are interpreted, or the name of the GPU."""
    precision: str
    versions: dict[str, str]
    model: str
    """Who wrote it."""
    made: str
    """When, in UTC."""
    plan: str | None
    code: str
    verdict: Verdict

    @classmethod
    def of(cls, program: Program, device: str, model: str, plan: str | None, code: str, verdict: Verdict):
        """One that has just been accepted."""
        return cls(
            fragment=program.program_id, program=program.to_json(), device=device,
            precision=verdict.precision, versions=verdict.versions, model=model,
            made=datetime.now(UTC).isoformat(timespec="seconds"), plan=plan, code=code, verdict=verdict,
        )  # fmt: skip

    @cached_property
    def text(self) -> str:
        document = self.model_dump(mode="json")
        document["verdict"].pop("accepted")  # which follows from the rest
        return json.dumps(document, sort_keys=True, ensure_ascii=False)

    @property
    def ops(self) -> tuple[str, ...]:
        return Program.from_json(self.program).ops

    @property
    def times_us(self) -> tuple[float, float] | None:
        """A call of PyTorch's own and one of the kernel; None where they were not measured."""
        timing = self.verdict.timing
        if timing is None or self.verdict.speedup is None or "eager" not in timing.baselines:
            return None
        return timing.baselines["eager"].wall_us, timing.wall_us


class Library:
    """Entries in a file; without one, for as long as this process lives."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._kept: dict[tuple[str, ...], tuple[str, str]] = {}
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(f"{path}: cannot be a library: {error.strerror}") from error
            with self._open() as base:
                found = base.execute("PRAGMA user_version").fetchone()[0]
                if found not in (0, SCHEMA_VERSION):
                    raise UserError(
                        f"{path}: a library of another version, {found}; delete it or name another"
                    )
                base.execute(TABLE)
                base.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection, for one transaction."""
        try:
            with contextlib.closing(sqlite3.connect(self.path or ":memory:", WAIT_SECONDS)) as base, base:
                yield base
        except sqlite3.Error as error:
            raise UserError(f"{self.path}: cannot be used as a library: {error}") from error

    def find(self, program: Program, precision: str) -> list[Entry]:
        """All kernels for a program, the fastest first."""
        found = [each for each in self._entries(program.program_id) if each.precision == precision]
        return sorted(found, key=lambda each: -(each.verdict.speedup or 0.0))

    def entries(self) -> list[Entry]:
        """Everything that is whole."""
        return list(self._entries(None))

    def _entries(self, fragment: str | None) -> Iterator[Entry]:
        if self.path is None:
            rows = [row for key, row in self._kept.items() if fragment in (None, key[0])]
        else:
            with self._open() as base:
                where, values = ("WHERE fragment = ?", (fragment,)) if fragment else ("", ())
                rows = base.execute(
                    f"SELECT entry, digest FROM kernels {where} ORDER BY fragment, device, versions", values
                ).fetchall()
        for text, digest in rows:
            if (entry := _whole(text, digest)) is not None:
                yield entry

    def put(self, entry: Entry, *, better_only: bool = True) -> bool:
        """Keep it, unless one that is as fast is there; whether it was kept."""
        key = (entry.fragment, entry.device, entry.precision, json.dumps(entry.versions, sort_keys=True))
        row = (entry.text, _digest(entry.text))
        if self.path is None:
            if better_only and not _is_better(entry, self._kept.get(key)):
                return False
            self._kept[key] = row
            return True
        with self._open() as base:
            base.execute("BEGIN IMMEDIATE")  # nobody writes between our look and our word
            old = base.execute(
                "SELECT entry, digest FROM kernels "
                "WHERE fragment = ? AND device = ? AND precision = ? AND versions = ?", key
            ).fetchone()  # fmt: skip
            if better_only and not _is_better(entry, old):
                return False
            base.execute("INSERT OR REPLACE INTO kernels VALUES (?, ?, ?, ?, ?, ?)", (*key, *row))
            return True

    def drop(self, entry: Entry) -> None:
        """Forget one that did not stand the test."""
        digest = _digest(entry.text)
        if self.path is None:
            self._kept = {key: row for key, row in self._kept.items() if row[1] != digest}
            return
        with self._open() as base:
            base.execute("DELETE FROM kernels WHERE fragment = ? AND digest = ?", (entry.fragment, digest))

    def take(self, rows: Iterable[tuple[int, dict[str, Any]]], where: str) -> int:
        """Entries from rows that `export` wrote; how many were new. A row that is none is an error."""
        entries = []
        for number, row in rows:
            try:
                entry = Entry.model_validate(row)
                if Program.from_json(entry.program).program_id != entry.fragment:
                    raise ProgramError("field 'fragment' is not the id of its program")
            except (ValidationError, ProgramError) as error:
                reason = first_line(error) if isinstance(error, ValidationError) else str(error)
                raise UserError(f"{where}:{number}: no entry of a library: {reason}") from error
            entries.append(entry)
        return sum(self.put(entry) for entry in entries)


def default_path() -> Path:
    """The library of this user."""
    return cache_folder("library") / "kernels.sqlite"


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Lines of an exported file."""
    for number, row in jsonl.read(path):
        if isinstance(row.get("verdict"), dict):
            row["verdict"].pop("accepted", None)
        yield number, row


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _whole(text: str, digest: str) -> Entry | None:
    """The entry, if it is as it was written."""
    try:
        if _digest(text) != digest:
            raise ValueError("its digest is another")
        return Entry.model_validate_json(text)
    except ValueError as error:
        _log.warning("an entry of the library is passed over: %s", str(error).partition("\n")[0])
        return None


def _is_better(entry: Entry, old: tuple[str, str] | None) -> bool:
    there = _whole(*old) if old else None
    return there is None or (entry.verdict.speedup or 0.0) > (there.verdict.speedup or 0.0)
