"""`Manifest`: what lies in a folder of pairs. All its numbers come from the rows of the shards."""

import importlib.metadata
import json
import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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


class Manifest(_Record):
    """The document `manifest.json`."""

    settings: Run
    versions: dict[str, str | None]
    complete: bool
    """Whether all shards are there."""
    shards: tuple[Shard, ...] = ()
    levels: dict[int, LevelCounts] = {}
    operators: dict[str, int] = {}
    """Operator → pairs whose program has it."""
    lengths: dict[int, dict[str, Quantiles]] = {}
    """Level → source, plan, code and completion."""
    verified: Verified | None = None

    @property
    def num_pairs(self) -> int:
        return sum(shard.pairs for shard in self.shards)

    def write(self, folder: Path) -> None:
        text = json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False)
        write_whole(folder / NAME, f"{text}\n".encode())

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        path = folder / NAME
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValidationError, UnicodeDecodeError) as error:
            raise UserError(f"{path}: not a manifest of `tritonrl distil`") from error


def versions(run: Run) -> dict[str, str | None]:
    """Whatever the bytes of a run depend on beside its settings."""
    packages = (*PACKAGES, *(["pyarrow"] if run.format == "parquet" else []))
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
                    what: _quantiles(self.lengths[level, what])
                    for what in ("source", "plan", "code", "completion")
                }
                for level in sorted(self.rows)
            },
        }


def _quantiles(counts: Mapping[int, int]) -> Quantiles:
    ordered, total = sorted(counts.items()), sum(counts.values())

    def at(percent: int) -> int:
        seen = 0
        for length, count in ordered:
            seen += count
            if 100 * seen >= percent * total:
                return length
        return 0

    return Quantiles(median=at(50), p90=at(90), p99=at(99), max=at(100))
