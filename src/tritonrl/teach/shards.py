"""Shards: files of rows, JSON Lines or parquet, the same rows in either. A shard is there whole or not at
all."""

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tritonrl import files, jsonl
from tritonrl.errors import UnknownNameError, UserError
from tritonrl.teach.pairs import Row, Taught

FORMATS = ("jsonl", "parquet")


def known_format(name: str) -> str:
    """The name of a format that can be written here."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, list(FORMATS))
    if name == "parquet":
        parquet_library()
    return name


def encode(rows: Sequence[Row] | Sequence[Taught], file_format: str) -> bytes:
    """The bytes of a shard: the same rows always give the same."""
    if file_format == "jsonl":
        return "".join(f"{jsonl.dumps(row)}\n" for row in rows).encode()
    arrow = parquet_library()
    columns = [{**row, "program": jsonl.dumps(row["program"])} if "program" in row else row for row in rows]
    buffer = io.BytesIO()
    table = arrow.Table.from_pylist(
        columns, schema=_schema(arrow, [name for row in rows[:1] for name in row])
    )
    arrow.parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _schema(arrow: Any, names: Sequence[str]) -> Any:
    numbers, texts = arrow.list_(arrow.int64()), arrow.list_(arrow.string())
    types = {
        "level": arrow.int64(), "seeds": numbers, "source_chars": arrow.int64(), "plan_chars": numbers,
        "code_chars": numbers, "completions": texts, "ops": texts, "difficulty": arrow.int64(),
        "sample": arrow.int64(),
    }  # fmt: skip
    return arrow.schema([(name, types.get(name, arrow.string())) for name in names])


def read_rows(path: Path) -> Iterator[Any]:
    """The rows of a shard, in order: all `Row`, or all `Taught`."""
    if path.suffix == ".jsonl":
        for _, row in jsonl.read(path):
            yield row
        return
    arrow = parquet_library()
    try:
        with arrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                for row in batch.to_pylist():
                    yield {**row, "program": json.loads(row["program"])} if "program" in row else row
    except (OSError, arrow.ArrowException) as error:
        raise UserError(f"{path}: cannot be read as parquet: {error}") from error


def parquet_library() -> Any:
    """pyarrow, which comes with `datasets`."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UserError("parquet needs pyarrow, which is not installed: pip install pyarrow") from error
    return pyarrow


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in its place at once: who is interrupted leaves the old one, or none."""
    try:
        files.write_whole(path, data)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
