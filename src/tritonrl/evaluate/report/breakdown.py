"""What charts and small tables show: success and speed by level, success by operator, failures, speeds. Plain
numbers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tritonrl.evaluate.metrics import Measure, geomean
from tritonrl.evaluate.report.runs import Run
from tritonrl.evaluate.table import NO_ANSWER, Scored, best_speedups, by, level_of, rate, speedup

FAMILIES = {
    "A": "the kernel is not written or not used",
    "B": "memory and data flow",
    "C": "remembers, replays, senses when it is tested",
    "D": "timing and the harness",
    "E": "wrong where a test may not look",
    "F": "looks around",
}
"""The letters of the catalogue of cheats, see docs/verifier.md; other rules are mistakes."""
MISTAKE = "mistakes"


@dataclass(frozen=True)
class Measured:
    """A metric of the tasks under one name, for each run; None where a run has no such task."""

    name: str
    num_tasks: int
    """Of the run that has most."""
    measures: tuple[Measure | None, ...]


@dataclass(frozen=True)
class Failures:
    """Candidates that failed for one reason, for each run."""

    name: str
    family: str
    counts: tuple[int, ...]
    shares: tuple[float | None, ...]
    """Of all candidates; None where a run has none."""


def by_level(runs: Sequence[Run]) -> list[Measured]:
    """pass@1."""
    return _sorted(_measured(runs, level_of, _success))


def speed_by_level(runs: Sequence[Run], baseline: str) -> list[Measured]:
    """The geometric mean of the speedup of one answer; of runs that were compared with this."""

    def speed(run: Run, tasks: list[Scored]) -> Measure | None:
        speeds = best_speedups(tasks, run.protocol, baseline, 1) if baseline in run.baselines else []
        return geomean(speeds) if speeds else None

    found = _measured(runs, level_of, speed)
    return _sorted([each for each in found if any(each.measures)])


def _sorted(levels: list[Measured]) -> list[Measured]:
    return sorted(levels, key=lambda each: int(each.name))


def by_operator(runs: Sequence[Run]) -> list[Measured]:
    """pass@1, the best of the first run first."""
    found = _measured(runs, lambda task: task.ops, _success)
    return sorted(found, key=lambda each: (-_first(each.measures), each.name))


def _first(measures: Sequence[Measure | None]) -> float:
    return next((each.value for each in measures if each), 0.0)


def _success(run: Run, tasks: list[Scored]) -> Measure | None:
    return rate(tasks, run.protocol.counts, 1)


def _measured(
    runs: Sequence[Run],
    names: Callable[[Scored], Iterable[str]],
    metric: Callable[[Run, list[Scored]], Measure | None],
) -> list[Measured]:
    grouped = [by(run.tasks, names) for run in runs]
    known = dict.fromkeys(name for groups in grouped for name in groups)
    return [
        Measured(
            name,
            max(len(groups.get(name, ())) for groups in grouped),
            tuple(metric(run, groups.get(name, [])) for run, groups in zip(runs, grouped, strict=True)),
        )
        for name in known
    ]


def by_layer(runs: Sequence[Run]) -> list[Failures]:
    """In the order in which the layers are asked."""
    order = layers(runs)
    found = _failures(runs, [run.table.layers for run in runs])
    return sorted(found, key=lambda each: order.index(each.name))


def by_rule(runs: Sequence[Run]) -> list[Failures]:
    """Families in their order, mistakes last; the commonest rule of each first."""
    found = _failures(runs, [run.table.findings for run in runs])
    return sorted(found, key=lambda each: (each.family == MISTAKE, each.family, -sum(each.counts), each.name))


def _failures(runs: Sequence[Run], counted: Sequence[dict[str, int]]) -> list[Failures]:
    found = []
    for name in dict.fromkeys(name for counts in counted for name in counts):
        numbers = tuple(counts.get(name, 0) for counts in counted)
        totals = [run.num_candidates for run in runs]
        shares = tuple(each / of if of else None for each, of in zip(numbers, totals, strict=True))
        found.append(Failures(name, family(name), numbers, shares))
    return found


def family(rule: str) -> str:
    """The letter of an id of the catalogue (`E` of `E3`), or that it is a mistake."""
    return rule[0] if rule[:1] in FAMILIES and rule[1:].isdecimal() else MISTAKE


def layers(runs: Sequence[Run]) -> list[str]:
    """All layers that anything was asked of, or failed in, in order."""
    asked = dict.fromkeys(
        layer.name
        for run in runs
        for task in run.tasks
        for verdict in task.verdicts
        for layer in verdict.layers
    )
    return list(dict.fromkeys([NO_ANSWER, *asked, *(name for run in runs for name in run.table.layers)]))


def best_speedup(run: Run, task: Scored, baseline: str) -> float | None:
    """Of the right answers to a task; None where none has a speed."""
    known = (speedup(verdict, run.protocol, baseline) for verdict in task.verdicts)
    return max((each for each in known if each is not None), default=None)


def fast_curve(run: Run, baseline: str, thresholds: Sequence[float]) -> list[float]:
    """fast_p of the best of all answers, for each p."""
    bests = [best_speedup(run, task, baseline) for task in run.tasks]
    return [
        sum(best is not None and best > threshold for best in bests) / len(bests) for threshold in thresholds
    ]


def right_speedups(run: Run, baseline: str) -> list[float]:
    """Of every right answer that has one."""
    known = (speedup(verdict, run.protocol, baseline) for task in run.tasks for verdict in task.verdicts)
    return [each for each in known if each is not None]
