"""`Manifest`: what lies in a folder of pairs. All its numbers come from the rows of the shards."""

import importlib.metadata
import json
import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

import tritonrl
from tritonrl.errors import UserError
from tritonrl.program import lookup
from tritonrl.teach.pairs import Row
from tritonrl.teach.run import Run
from tritonrl.teach.shards import write_whole

NAME = "manifest.json"
PACKAGES = ("torch", "triton", "ortools")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shard(_Record):
    """A file that is finished."""

    name: str
    rows: int
    pairs: int
    bytes: int
    sha256: str


class LevelCounts(_Record):
    """What there is of a level."""

    rows: int
    programs: int
    """Different ones: two shards may have drawn the same."""
    structures: int
    pairs: int


class Quantiles(_Record):
    """Of lengths in characters, over pairs: the least length that this share of them does not exceed."""

    median: int
    p90: int
    p99: int
    max: int


class Rejected(_Record):
    """A pair that the verifier did not accept."""

    program_id: str
    seed: int
    layer: str | None
    """None where the verifier failed: the pair is then not judged."""
    rule: str | None
    message: str


class Verified(_Record):
    """A sample of pairs and what the verifier said."""

    device: str
    sample: int
    judged: int
    accepted: int
    rate: float | None
    """Of the judged ones."""
    interval: tuple[float, float] | None
    """Wilson's, which holds the rate with 95 % confidence."""
    rejected: tuple[Rejected, ...]


class Document(_Record):
    """What all manifests have."""

    settings: Any
    versions: dict[str, str | None]
    complete: bool
    """Whether nothing is left to be done."""
    shards: tuple[Shard, ...] = ()

    @property
    def num_pairs(self) -> int:
        return sum(shard.pairs for shard in self.shards)

    def write(self, folder: Path) -> None:
        text = json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False)
        write_whole(folder / NAME, f"{text}\n".encode())

    @classmethod
    def read(cls, folder: Path) -> Self:
        path = folder / NAME
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValidationError, UnicodeDecodeError) as error:
            raise UserError(
                f"{path}: not a manifest of `tritonrl distil` with this kind of teacher"
            ) from error

    def take_up(self, folder: Path) -> Self:
        """The manifest that is in the folder, this one where it is empty; that of another run is an error."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            empty = not any(folder.iterdir())
        except OSError as error:
            raise UserError(f"{folder}: cannot be written: {error.strerror}") from error
        if empty:
            self.write(folder)
            return self
        if not (folder / NAME).exists():
            raise UserError(f"{folder}: not empty, and not made by `tritonrl distil`")
        there = self.read(folder)
        differing = [
            f"{key} {old.get(key)} there, {new[key]} here"
            for old, new in (
                (there.settings.model_dump(), self.settings.model_dump()),
                (there.versions, self.versions),
            )
            for key in new
            if old.get(key) != new[key]
        ]
        if differing:
            raise UserError(f"{folder}: made by another run, cannot be completed: {'; '.join(differing)}")
        return there


class Manifest(Document):
    """The document `manifest.json` of the composer's pairs."""

    settings: Run
    levels: dict[int, LevelCounts] = {}
    operators: dict[str, int] = {}
    """Operator → pairs whose program has it."""
    lengths: dict[int, dict[str, Quantiles]] = {}
    """Level → source, plan, code and completion."""
    verified: Verified | None = None


def versions(file_format: str) -> dict[str, str | None]:
    """Whatever the bytes of a run depend on beside its settings."""
    packages = (*PACKAGES, *(["pyarrow"] if file_format == "parquet" else []))
    return {
        "tritonrl": tritonrl.__version__,
        "python": platform.python_version(),
        **{name: _version(name) for name in packages},
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


class Tally:
    """Counts of rows, shard after shard."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: Counter[int] = Counter()
        self.pairs: Counter[int] = Counter()
        self.operators: Counter[str] = Counter()
        self.programs: defaultdict[int, set[str]] = defaultdict(set)
        self.structures: defaultdict[int, set[str]] = defaultdict(set)
        self.lengths: defaultdict[tuple[int, str], Counter[int]] = defaultdict(Counter)
        for row in rows:
            self._add(row)

    def _add(self, row: Row) -> None:
        level, pairs = row["level"], len(row["seeds"])
        program: Any = row["program"]
        self.rows[level] += 1
        self.pairs[level] += pairs
        self.programs[level].add(row["id"])
        self.structures[level].add(row["structure"])
        for op in {op for op, *_ in program["nodes"] if not lookup(op).is_view}:
            self.operators[op] += pairs
        plans, codes = row["plan_chars"], row["code_chars"]
        self.lengths[level, "source"][row["source_chars"]] += pairs
        self.lengths[level, "plan"].update(plans)
        self.lengths[level, "code"].update(codes)
        self.lengths[level, "completion"].update(map(sum, zip(plans, codes, strict=True)))

    def merge(self, other: "Tally") -> None:
        self.rows += other.rows
        self.pairs += other.pairs
        self.operators += other.operators
        for level in other.rows:
            self.programs[level] |= other.programs[level]
            self.structures[level] |= other.structures[level]
        for key, counts in other.lengths.items():
            self.lengths[key] += counts

    def figures(self) -> dict[str, Any]:
        """The fields of a manifest that are counted."""
        return {
            "levels": {
                level: LevelCounts(
                    rows=self.rows[level],
                    programs=len(self.programs[level]),
                    structures=len(self.structures[level]),
                    pairs=self.pairs[level],
                )
                for level in sorted(self.rows)
            },
            "operators": dict(sorted(self.operators.items())),
            "lengths": {
                level: {
                    what: quantiles(self.lengths[level, what])
                    for what in ("source", "plan", "code", "completion")
                }
                for level in sorted(self.rows)
            },
        }


def quantiles(counts: Mapping[int, int]) -> Quantiles:
    ordered, total = sorted(counts.items()), sum(counts.values())

    def at(percent: int) -> int:
        seen = 0
        for length, count in ordered:
            seen += count
            if 100 * seen >= percent * total:
                return length
        return 0

    return Quantiles(median=at(50), p90=at(90), p99=at(99), max=at(100))
