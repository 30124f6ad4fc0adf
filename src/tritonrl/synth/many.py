"""Many programs: rows in order, over processes, without duplicates, onto a file that can be resumed.

The order and the bytes do not depend on the number of workers: workers make programs by number, and this
process alone decides, in order, which are duplicates.
"""

import collections
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.files import check_place
from tritonrl.program import Program, emit
from tritonrl.synth.generate import Config, program
from tritonrl.synth.pool import limit_threads, pool

CHUNK = 32
"""Programs made by a worker at a time: about 0.1 s of work at level 5."""


def row(config: Config, index: int, made: Program) -> dict[str, Any]:
    """One line of the output."""
    return {
        "id": made.program_id,
        "level": config.level,
        "ops": list(made.ops),
        "seed": config.seed,
        "index": index,
        "profile": config.profile,
        "dtype": config.dtype,
        "program": made.to_json(),
        "outputs": [str(made.values[value]) for value in made.outputs],
        "source": emit(made),
    }


Keep = Callable[[dict[str, Any]], bool]
"""Whether a row is worth keeping; one that is not is drawn anew, as a duplicate is."""


def rows(
    config: Config, count: int, workers: int = 1, done: list[str] | None = None, keep: Keep = lambda row: True
) -> Iterator[dict[str, Any]]:
    """Rows number len(done) to count - 1; `done` holds the ids of the rows before them."""
    seen = set(done or ())
    for index, made in _in_order(config, len(done or ()), count, workers):
        fresh = made
        for retry in range(1, 1000):
            if fresh["id"] not in seen and keep(fresh):
                break
            fresh = row(config, index, program(config, index, retry))
        else:
            raise UserError(
                f"row {index}: no further program of {fresh['ops']} is distinct and worth keeping"
            )
        seen.add(fresh["id"])
        yield fresh


def _in_order(config: Config, start: int, count: int, workers: int) -> Iterator[tuple[int, dict[str, Any]]]:
    if workers == 1:
        limit_threads()
        for index in range(start, count):
            yield index, row(config, index, program(config, index))
        return
    with pool(workers) as processes:
        waiting: collections.deque[tuple[range, Future[list[dict[str, Any]]]]] = collections.deque()
        pending = (range(first, min(first + CHUNK, count)) for first in range(start, count, CHUNK))
        while True:
            while len(waiting) < 3 * workers and (chunk := next(pending, None)) is not None:
                waiting.append((chunk, processes.submit(_make_chunk, config, chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            yield from zip(chunk, future.result(), strict=True)


def _make_chunk(config: Config, indices: range) -> list[dict[str, Any]]:
    return [row(config, index, program(config, index)) for index in indices]


def write(
    config: Config,
    count: int,
    out: Path,
    workers: int = 1,
    resume: bool = False,
    progress: Callable[[int], None] = lambda done: None,
    keep: Keep = lambda row: True,
) -> int:
    """Write rows to `out`, a whole line at a time; returns how many were there already.

    With `resume` the lines there are kept if they are this run's own. Without it a file that is there is kept
    beside as `NAME.bak`.
    """
    check_place(out)
    done = _resume(config, out, keep) if resume and out.exists() else []
    if not resume and out.exists() and out.stat().st_size:
        os.replace(out, out.with_name(out.name + ".bak"))
    try:
        file = out.open("a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}") from error
    with file:
        progress(len(done))
        for number, made in enumerate(rows(config, count, workers, done, keep), start=len(done) + 1):
            file.write(jsonl.dumps(made) + "\n")
            file.flush()
            progress(number)
    return len(done)


def _resume(config: Config, out: Path, keep: Keep) -> list[str]:
    """Ids of the rows in a file that this run began; the last one is made again to be sure that it did."""
    jsonl.drop_torn_tail(out)
    ids, found = [], {}
    for _, found in jsonl.read(out):
        ids.append(str(found.get("id")))
    if not ids:
        return []
    *_, made = rows(config, len(ids), done=ids[:-1], keep=keep)
    last = json.loads(jsonl.dumps(made))
    differing = [key for key in last if found.get(key) != last[key]]
    if differing:
        named = "; ".join(
            f"{key} {found.get(key)} there, {last[key]} here" for key in differing if key in _SHORT
        )
        raise UserError(
            f"{out}: made by another run, cannot be resumed: {named or 'other operators or views'}"
        )
    return ids


_SHORT = ("level", "seed", "profile", "dtype", "index")
