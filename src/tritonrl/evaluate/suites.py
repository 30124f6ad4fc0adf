"""Suites: what a user names, to tasks in a stable order. What is no task is listed with its reason.

synth:1   synth:1,2,5      programs of these levels, `count` of each
modules   modules:2        our own modules: operators (1), fusions (2), small networks (3)
FOLDER, FILE.jsonl, …      whatever `tritonrl tasks` reads
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

from tritonrl.errors import UserError
from tritonrl.evaluate.records import Listed
from tritonrl.synth import Config, rows
from tritonrl.synth.pool import workers_for
from tritonrl.tasks import Task, load_each

MODULES = Path(__file__).parent / "modules"
USUAL_COUNT = 100
"""Programs of a synthesised level, where no other number is asked for."""


def suite(
    name: str,
    count: int | None = None,
    *,
    seed: int = 0,
    profile: str = "cpu",
    part: tuple[int, int] = (1, 1),
) -> list[Listed]:
    """The tasks that a name means: the first `count` (of each level), and of those every so manieth."""
    kind, _, rest = name.partition(":")
    if kind == "synth":
        found = list(_synthesised(rest, USUAL_COUNT if count is None else count, seed, profile))
    elif kind == "modules":
        found = _loaded(_modules(rest))[:count]
    else:
        found = _loaded(name)[:count]
    seen: set[str] = set()
    for each in found:
        if each.id in seen:
            raise UserError(f"{name}: two tasks are called {each.id!r}")
        seen.add(each.id)
    number, of = part
    return found[number - 1 :: of]


def _synthesised(levels: str, count: int, seed: int, profile: str) -> Iterator[Listed]:
    """The levels in turn: whatever of a run is done first is of all of them, and programs that need much
    memory are among others."""
    names = levels.split(",")
    if not all(name.strip().isdigit() for name in names):
        raise UserError(f"synth:{levels}: expected levels, as in synth:1 or synth:1,2,5")
    made = (rows(Config(int(name), seed, profile), count, workers_for(count)) for name in names)
    for row in itertools.chain.from_iterable(zip(*map(list, made), strict=True)):
        task = Task.functional(row["id"], row["source"], row["level"], row["program"], tuple(row["ops"]))
        yield Listed(id=task.id, task=task)


def _modules(level: str) -> str:
    folder = MODULES / f"level{level}" if level else MODULES
    if not folder.is_dir():
        raise UserError(f"modules:{level}: expected modules, modules:1, modules:2 or modules:3")
    return str(folder)


def _loaded(spec: str) -> list[Listed]:
    return [
        Listed(id=name, task=each) if isinstance(each, Task) else Listed(id=name, error=str(each))
        for name, each in load_each(spec)
    ]
