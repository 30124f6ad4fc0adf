"""`Run`: a folder as the report sees it, with a name that tells it from the others, and the facts of all."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.protocols import Protocol
from tritonrl.evaluate.report.text import shortened
from tritonrl.evaluate.table import Scored, Table, table, timed_baselines

LONGEST_LABEL = 60


@dataclass(frozen=True)
class Run:
    """One run, read under a protocol."""

    label: str
    folder: Folder
    protocol: Protocol
    table: Table

    @property
    def tasks(self) -> list[Scored]:
        return self.table.tasks

    @property
    def num_candidates(self) -> int:
        """Answers that say something about the model, right or not."""
        return sum(len(task.outcomes) for task in self.tasks)

    @cached_property
    def baselines(self) -> list[str]:
        """What speed was compared with; nothing where it was not measured."""
        return timed_baselines(self.tasks)


def read_runs(folders: Sequence[Folder], protocol: Protocol) -> list[Run]:
    """The runs in their order; each has a label of its own."""
    return [
        Run(label, folder, protocol, table(folder, protocol))
        for label, folder in zip(_labels(folders), folders, strict=True)
    ]


def _labels(folders: Sequence[Folder]) -> list[str]:
    """The model; with the folder, then the place in the order, where that is not enough."""
    labels = [shortened(each.config.model, LONGEST_LABEL) for each in folders]
    for more in (
        lambda number: shortened(folders[number].path.name, LONGEST_LABEL),
        lambda number: number + 1,
    ):
        seen = Counter(labels)
        labels = [
            f"{label} ({more(number)})" if seen[label] > 1 else label for number, label in enumerate(labels)
        ]
    return labels


def suites(runs: Sequence[Run]) -> str:
    return ", ".join(dict.fromkeys(run.folder.config.suite for run in runs))


def facts(runs: Sequence[Run]) -> dict[str, str]:
    """What the runs were, in words; where they differ, each with its label."""
    found = {name: _agreed(runs, value) for name, value in _FACTS.items()}
    found["versions"] = _agreed(runs, _versions)
    return {name: value for name, value in found.items() if value}


def _agreed(runs: Sequence[Run], value: Callable[[Run], str]) -> str:
    values = [value(run) for run in runs]
    if len(set(values)) == 1:
        return values[0]
    return "; ".join(f"{run.label}: {each or '–'}" for run, each in zip(runs, values, strict=True))


def _tasks(run: Run) -> str:
    listed, done = len(run.folder.listed), run.table.num_tasks
    return f"{done:,}" if listed == done else f"{done:,} scored of {listed:,}"


def _part(run: Run) -> str:
    number, of = run.folder.config.part
    return f"{number} of {of}" if of > 1 else ""


def _versions(run: Run) -> str:
    return ", ".join(f"{name} {version}" for name, version in run.folder.config.versions.items())


_FACTS: dict[str, Callable[[Run], str]] = {
    "device": lambda run: run.folder.config.settings.device,
    "GPU target": lambda run: run.folder.config.settings.target,
    "policy": lambda run: run.folder.config.settings.policy,
    "precision": lambda run: run.folder.config.settings.precision,
    "tasks": _tasks,
    "answers a task": lambda run: str(run.folder.config.samples),
    "part": _part,
}


def speed_sentence(runs: Sequence[Run]) -> str | None:
    """Whose speed was not measured; None where all were."""
    missing = [run for run in runs if not run.baselines]
    if not missing:
        return None
    whose = "" if len(missing) == len(runs) else f" for {' and '.join(run.label for run in missing)}"
    on_cpu = all(run.folder.config.settings.device_kind == "cpu" for run in missing)
    why = ": on a CPU kernels run in Triton's interpreter" if on_cpu else ""
    return f"Speed was not measured{whose}{why}."
