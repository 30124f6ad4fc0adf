"""Distil: pairs from programs, shard by shard, over processes, into a folder that a broken run can complete.

Whoever makes a shard writes it; the manifest is written again as each is finished. A shard that is listed
there and has its bytes is kept, whatever is missing or damaged is made again.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path

from tritonrl.errors import UserError
from tritonrl.program import Program
from tritonrl.synth import Config, program, resized
from tritonrl.synth.pool import CONTEXT, limit_threads, pool
from tritonrl.teach.manifest import Manifest, Shard, Tally, versions
from tritonrl.teach.pairs import Row, row_of
from tritonrl.teach.run import Part, Run
from tritonrl.teach.shards import digest, encode, read_rows, write_whole

MOST_RETRIES = 1000
SECONDS_BETWEEN_LOOKS = 0.2

Finished = tuple[Part, Shard, Tally]


def distil(
    run: Run, out: Path, workers: int = 1, progress: Callable[[int], None] = lambda programs: None
) -> Manifest:
    """Write all shards of a run that are not there yet, and the manifest."""
    before = Manifest(settings=run, versions=versions(run.format), complete=False).take_up(out)
    shards, tally = {}, Tally()
    for part, shard, counted in _kept(run, out, before):
        shards[part.name] = shard
        tally.merge(counted)
    parts = [part for part in run.parts if part.name not in shards]
    known = {shard.name: shard.sha256 for shard in before.shards}
    kept = run.num_programs - sum(len(part.indices) for part in parts)
    progress(kept)
    manifest = _manifest(before, shards, tally)
    for part, shard, counted in _made(run, out, parts, workers, lambda done: progress(kept + done)):
        if known.get(part.name, shard.sha256) != shard.sha256:
            raise UserError(f"{out / part.name}: made again it is not what it was; use another folder")
        shards[part.name] = shard
        tally.merge(counted)
        manifest = _manifest(before, shards, tally)
        manifest.write(out)
    return manifest


def _kept(run: Run, out: Path, before: Manifest) -> Iterator[Finished]:
    """The shards that are there whole."""
    known = {shard.name: shard for shard in before.shards}
    for part in run.parts:
        shard, path = known.get(part.name), out / part.name
        if shard and path.exists() and digest(path.read_bytes()) == shard.sha256:
            yield part, shard, Tally(read_rows(path))


def _manifest(before: Manifest, shards: dict[str, Shard], tally: Tally) -> Manifest:
    names = [part.name for part in before.settings.parts]
    return Manifest(
        settings=before.settings,
        versions=before.versions,
        complete=len(shards) == len(names),
        shards=tuple(shards[name] for name in names if name in shards),
        **tally.figures(),
        verified=before.verified,
    )


def _made(
    run: Run, out: Path, parts: list[Part], workers: int, progress: Callable[[int], None]
) -> Iterator[Finished]:
    """The shards as they are finished, in any order."""
    if workers == 1 or len(parts) < 2:
        limit_threads()
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            progress(done)

        for part in parts:
            yield make_shard(run, part, out, count)
        return
    counter, stop = CONTEXT.Value("q", 0), CONTEXT.Event()
    with pool(min(workers, len(parts)), _start, counter, stop) as processes:
        waiting: set[Future[Finished]] = {processes.submit(_make_in_worker, run, part, out) for part in parts}
        try:
            while waiting:
                ready, waiting = wait(waiting, SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
                progress(counter.value)
                for future in ready:
                    yield future.result()
        finally:
            stop.set()


def make_shard(run: Run, part: Part, out: Path, count: Callable[[], None]) -> Finished:
    """Make a shard and put it in its place; `count` is called after each program."""
    rows = list(shard_rows(run, part, count))
    data = encode(rows, run.format)
    write_whole(out / part.name, data)
    pairs = sum(len(row["seeds"]) for row in rows)
    shard = Shard(name=part.name, rows=len(rows), pairs=pairs, bytes=len(data), sha256=digest(data))
    return part, shard, Tally(rows)


def shard_rows(run: Run, part: Part, count: Callable[[], None] = lambda: None) -> Iterator[Row]:
    """The rows of a shard: different programs, each at several sizes."""
    config, seen = run.config(part.level), set[str]()
    for index in part.indices:
        first = _unseen(config, index, seen)
        others = (resized(config, first, number) for number in range(1, run.shapes))
        for made in (first, *others):
            if made is not None and made.program_id not in seen:
                seen.add(made.program_id)
                yield row_of(made, run.dtype, run.draws, expanded=run.expanded)
        count()


def _unseen(config: Config, index: int, seen: set[str]) -> Program:
    """Program number `index`, wired anew while it is one that the shard has."""
    for retry in range(MOST_RETRIES):
        made = program(config, index, retry)
        if made.program_id not in seen:
            return made
    raise UserError(f"program {index} of level {config.level}: none of {MOST_RETRIES} is new to its shard")


class _Stopped(Exception):
    """The run was interrupted."""


_counter: "Synchronized[int]"
_stop: Event


def _start(counter: "Synchronized[int]", stop: Event) -> None:
    global _counter, _stop
    _counter, _stop = counter, stop


def _make_in_worker(run: Run, part: Part, out: Path) -> Finished:
    def count() -> None:
        if _stop.is_set():
            raise _Stopped
        with _counter.get_lock():
            _counter.value += 1

    return make_shard(run, part, out, count)
