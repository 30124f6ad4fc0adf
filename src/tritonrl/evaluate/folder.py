"""`Folder`: a run on disk. Whole lines only; whatever interrupts it, the next run goes on from there.

    config.json         what was asked for, resolved
    tasks.jsonl         the tasks, in order, and why some are none
    completions.jsonl   what the model gave, as it came
    verdicts.jsonl      what became of it, as it came

The last line of a task and sample counts: what failed through our own fault is tried again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.evaluate.records import Config, Listed, Outcome, Written
from tritonrl.files import write_whole
from tritonrl.folders import appending, as_row, first_line, read
from tritonrl.verify.settings import Settings

CONFIG, TASKS, COMPLETIONS, VERDICTS = "config.json", "tasks.jsonl", "completions.jsonl", "verdicts.jsonl"
MAY_DIFFER = {"suite", "count", "profile", "part", "versions"}
"""Between runs that are merged: they share tasks, and the work, perhaps on different machines."""

Key = tuple[str, int]


class Folder:
    """One run, as far as it has come."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = _config(path)
        self.listed = list(read(path / TASKS, Listed))
        self.written = {(each.task, each.sample): each for each in read(path / COMPLETIONS, Written)}
        self.outcomes = {(each.task, each.sample): each for each in read(path / VERDICTS, Outcome)}

    @classmethod
    def open(cls, path: Path, config: Config, listed: Callable[[], Iterable[Listed]]) -> "Folder":
        """Begin a run, or go on with one that asked for the same."""
        if (path / CONFIG).exists():
            _refuse_other(path, config, _config(path), set())
            for name in (COMPLETIONS, VERDICTS):
                if (path / name).exists():
                    jsonl.drop_torn_tail(path / name)
        else:
            try:
                lines = "".join(f"{jsonl.dumps(as_row(each))}\n" for each in listed())
                write_whole(path / TASKS, lines.encode())
                text = json.dumps(config.model_dump(mode="json"), indent=1, ensure_ascii=False)
                write_whole(path / CONFIG, f"{text}\n".encode())
            except OSError as error:
                raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        return cls(path)

    def adopt(self, other: "Folder") -> None:
        """Take over what another run has for tasks that are the same in both. It may have measured more."""
        settings = self.config.settings
        _refuse_other(other.path, self.config, _asking_no_more(other.config, settings), MAY_DIFFER)
        own = {each.id: _without_place(each) for each in self.listed}
        shared = {each.id for each in other.listed if own.get(each.id) == _without_place(each)}
        with self.completions() as write:
            for key, each in other.written.items():
                if key not in self.written and key[0] in shared:
                    write(each)
        with self.verdicts() as write:
            for key, each in other.outcomes.items():
                if not self.has_outcome(*key) and key[0] in shared:
                    write(_telling_no_more(each, settings))

    def has_outcome(self, task: str, sample: int) -> bool:
        """One that a further attempt would not change."""
        found = self.outcomes.get((task, sample))
        return found is not None and found.blame != "verifier"

    @contextmanager
    def completions(self) -> Iterator[Callable[[Written], None]]:
        """A function that keeps an answer, at once."""
        with _keeping(self.path / COMPLETIONS, self.written) as write:
            yield write

    @contextmanager
    def verdicts(self) -> Iterator[Callable[[Outcome], None]]:
        """A function that keeps an outcome, at once."""
        with _keeping(self.path / VERDICTS, self.outcomes) as write:
            yield write


@contextmanager
def _keeping(path: Path, kept: dict[Key, Any]) -> Iterator[Callable[[Any], None]]:
    with appending(path) as append:

        def write(record: Any) -> None:
            kept[record.task, record.sample] = record
            append(record)

        yield write


def _config(path: Path) -> Config:
    try:
        return Config.model_validate_json((path / CONFIG).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{path}: no run of `tritonrl eval`; it has no {CONFIG}") from error
    except OSError as error:
        raise UserError(f"{path / CONFIG}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path / CONFIG}: {first_line(error)}") from error


def _without_place(listed: Listed) -> Listed:
    """A task wherever it was read from."""
    task = listed.task and listed.task.model_copy(update={"path": None})
    return listed.model_copy(update={"task": task})


def _asking_no_more(config: Config, settings: Settings) -> Config:
    """A run's config, as if it had asked for these figures of speed only; itself where it lacks some."""
    theirs = config.settings
    if settings.timing and not (theirs.timing and theirs.baseline in ("both", settings.baseline)):
        return config
    speed = settings.model_dump(include={"timing", "baseline"})
    return config.model_copy(update={"settings": theirs.model_copy(update=speed)})


def _telling_no_more(outcome: Outcome, settings: Settings) -> Outcome:
    """An outcome without figures of speed that were not asked for: of all tasks a table has the same ones."""
    verdict = outcome.verdict
    if verdict is None or verdict.timing is None:
        return outcome
    if not settings.timing:
        verdict = verdict.model_copy(update={"timing": None, "speedup": None})
    elif settings.baseline == "eager":
        eager = {"baselines": {"eager": verdict.timing.baselines["eager"]}}
        verdict = verdict.model_copy(update={"timing": verdict.timing.model_copy(update=eager)})
    return outcome.model_copy(update={"verdict": verdict})


def _refuse_other(path: Path, wanted: Config, found: Config, may_differ: set[str]) -> None:
    mine, theirs = wanted.model_dump(mode="json"), found.model_dump(mode="json")
    differing = [
        f"{name}: {theirs[name]!r} there, {mine[name]!r} here"
        for name in mine
        if name not in may_differ and mine[name] != theirs[name]
    ]
    if differing:
        raise UserError(f"{path}: another run is there; {'; '.join(differing)}")
