"""The table of a run: every metric under a protocol, for all tasks, for a level, for an operator.

What says nothing about the model (a task that does not work, a failure of ours) is left out, and named.
A metric that was not measured is not there.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tritonrl.evaluate import metrics
from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.metrics import Measure
from tritonrl.evaluate.protocols import Protocol
from tritonrl.evaluate.records import Outcome
from tritonrl.verify.verdict import Verdict

BASELINES = ("eager", "compile")
NO_ANSWER = "no answer"
THRESHOLDS = (1.0, 2.0)
"""Speedups that `fast_1` and `fast_2` ask for."""


@dataclass(frozen=True)
class Scored:
    """A task with all its samples that count."""

    id: str
    level: int | None
    ops: tuple[str, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def verdicts(self) -> list[Verdict]:
        return [each.verdict for each in self.outcomes if each.verdict]


@dataclass(frozen=True)
class Table:
    """What a run shows under a protocol."""

    tasks: list[Scored]
    metrics: dict[str, Measure]
    unusable: dict[str, str]
    """Tasks that could not be scored, and why."""
    findings: dict[str, int]
    """Rule → candidates that it rejected."""
    layers: dict[str, int]
    """Layer → candidates that failed there; `no answer` where the model gave none."""

    @property
    def num_tasks(self) -> int:
        return len(self.tasks)

    @property
    def num_samples(self) -> int:
        """Answers a task, at most."""
        return max((len(task.outcomes) for task in self.tasks), default=0)


def scored(folder: Folder) -> list[Scored]:
    """The tasks of a run that have samples, in order."""
    samples: defaultdict[str, list[Outcome]] = defaultdict(list)
    for (task, _), outcome in sorted(folder.outcomes.items()):
        if outcome.counts:
            samples[task].append(outcome)
    found_out = {each.task: each.ops for each in folder.written.values() if each.ops}
    return [
        Scored(
            each.id,
            each.task.level if each.task else None,
            (each.task and each.task.ops) or found_out.get(each.id, ()),
            tuple(samples[each.id]),
        )
        for each in folder.listed
        if each.id in samples
    ]


def table(folder: Folder, protocol: Protocol) -> Table:
    """Everything about a run."""
    tasks = scored(folder)
    outcomes = [each for task in tasks for each in task.outcomes]
    rejections = [found for each in outcomes if each.verdict and (found := each.verdict.rejection)]
    layers = Counter(each.layer for each in rejections)
    layers[NO_ANSWER] = sum(each.verdict is None for each in outcomes)
    return Table(
        tasks,
        measures(tasks, protocol),
        _unusable(folder, {task.id for task in tasks}),
        dict(Counter(each.rule for each in rejections).most_common()),
        {name: count for name, count in layers.most_common() if count},
    )


def document(folder: Folder, protocol: Protocol) -> dict[str, Any]:
    """A run's table as JSON; of an operator the rate at which programs that have it are solved."""
    shown, config = table(folder, protocol), folder.config
    levels, operators = by(shown.tasks, level_of), by(shown.tasks, lambda task: task.ops)
    return {
        "run": str(folder.path), "suite": config.suite, "model": config.model, "samples": config.samples,
        "device": config.settings.device, "protocol": protocol.name, "num_tasks": shown.num_tasks,
        "num_verdicts": sum(len(task.verdicts) for task in shown.tasks),
        "metrics": _documents(shown.metrics),
        "levels": {name: _documents(measures(each, protocol)) for name, each in levels.items()},
        "operators": {
            name: found.document()
            for name, each in operators.items()
            if (found := rate(each, protocol.counts, 1))
        },
        "findings": shown.findings, "layers": shown.layers, "unusable": shown.unusable,
    }  # fmt: skip


def _documents(found: Mapping[str, Measure]) -> dict[str, Any]:
    return {name: measure.document() for name, measure in found.items()}


def measures(tasks: Sequence[Scored], protocol: Protocol) -> dict[str, Measure]:
    """Every metric that these tasks have, of one sample and of the best of all. A task that has fewer
    samples than others counts with those it has."""
    most = max((len(task.outcomes) for task in tasks), default=0)
    found: dict[str, Measure | None] = {}
    for k in sorted({1, most} if most else ()):
        for name, holds in _flags(protocol).items():
            found[f"{name}@{k}"] = rate(tasks, holds, k)
        for baseline in timed_baselines(tasks):
            suffix = "" if baseline == "eager" else f"_{baseline}"
            for threshold in THRESHOLDS:
                found[f"fast_{threshold:.0f}{suffix}@{k}"] = fast(tasks, protocol, threshold, baseline, k)
            speeds = best_speedups(tasks, protocol, baseline, k)
            found[f"speedup_mean{suffix}@{k}"] = metrics.mean(speeds)
            found[f"speedup_geomean{suffix}@{k}"] = metrics.geomean(speeds) if speeds else None
    found["coverage"] = metrics.mean(
        [each for task in tasks if (each := _coverage(task, protocol)) is not None]
    )
    return {name: measure for name, measure in found.items() if measure is not None}


def _coverage(task: Scored, protocol: Protocol) -> float | None:
    """Of its right answers, on average."""
    known = [verdict.coverage for verdict in task.verdicts if protocol.counts(verdict)]
    measured = [each for each in known if each is not None]
    return statistics.fmean(measured) if measured else None


def by(tasks: Iterable[Scored], names: Callable[[Scored], Iterable[str]]) -> dict[str, list[Scored]]:
    """Tasks under each of their names: levels, operators."""
    groups: defaultdict[str, list[Scored]] = defaultdict(list)
    for task in tasks:
        for name in dict.fromkeys(names(task)):
            groups[name].append(task)
    return dict(sorted(groups.items()))


def level_of(task: Scored) -> list[str]:
    return [] if task.level is None else [str(task.level)]


def fast(
    tasks: Sequence[Scored], protocol: Protocol, threshold: float, baseline: str, k: int
) -> Measure | None:
    """The share of tasks with a right answer that is faster than that, among k."""
    return rate(tasks, lambda verdict: (speedup(verdict, protocol, baseline) or 0.0) > threshold, k)


def speedup(verdict: Verdict, protocol: Protocol, baseline: str) -> float | None:
    """Of a right answer, where it is to be trusted."""
    timing = verdict.timing
    if not protocol.counts(verdict) or timing is None or timing.refused or baseline not in timing.baselines:
        return None
    return timing.baselines[baseline].speedup


def best_speedups(tasks: Sequence[Scored], protocol: Protocol, baseline: str, k: int) -> list[float]:
    """For each task the best speedup among k answers, failures counted as the protocol says."""
    found = []
    for task in tasks:
        known = [each.verdict and speedup(each.verdict, protocol, baseline) for each in task.outcomes]
        if protocol.failed_speedup is not None:
            values = [protocol.failed_speedup if each is None else each for each in known]
            found.append(metrics.best_of(min(k, len(values)), values))
        elif right := [each for each in known if each is not None]:
            found.append(metrics.best_of(min(k, len(right)), right))
    return found


def _flags(protocol: Protocol) -> Mapping[str, Callable[[Verdict], bool]]:
    return {
        "valid": lambda verdict: bool(verdict.valid),
        "compiled": lambda verdict: bool(verdict.compiled),
        "correct": lambda verdict: bool(verdict.correct),
        "pass": protocol.counts,
    }


def rate(tasks: Sequence[Scored], holds: Callable[[Verdict], bool], k: int) -> Measure | None:
    """The share of tasks that k samples solve."""
    counts = [(len(task.outcomes), sum(map(holds, task.verdicts))) for task in tasks]
    return metrics.share([metrics.pass_at(min(k, of), of, right) for of, right in counts])


def timed_baselines(tasks: Sequence[Scored]) -> list[str]:
    """Baselines that something was compared with."""
    seen = {name for task in tasks for each in task.verdicts if each.timing for name in each.timing.baselines}
    return [name for name in BASELINES if name in seen]


def _unusable(folder: Folder, scored: set[str]) -> dict[str, str]:
    listed = {each.id: each.error for each in folder.listed if each.error}
    failed = {
        each.task: f"{each.blame}: {each.error}"
        for each in folder.outcomes.values()
        if not each.counts and each.task not in scored
    }
    return {name: reason for name, reason in (listed | failed).items() if reason}
