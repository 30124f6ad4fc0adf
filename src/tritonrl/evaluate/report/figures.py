"""The main table: metrics in groups, named for people, a figure and its interval for each run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonrl.evaluate.metrics import Measure
from tritonrl.evaluate.report.runs import Run

MISSING = "–"
"""What was not measured; never 0."""

SUCCESS = {
    "valid": ("Valid", "honest Triton, right or wrong"),
    "compiled": ("Compiled", "every kernel compiles for the target"),
    "correct": ("Correct", "every answer on unseen inputs is right"),
    "pass": ("pass@{k}", "right under the protocol"),
}
SPEED = {
    "fast_1": ("fast_1", "right, and faster than {baseline}"),
    "fast_2": ("fast_2", "right, and more than twice as fast"),
    "speedup_mean": ("Mean speedup", ""),
    "speedup_geomean": ("Geometric mean speedup", ""),
}
BASELINES = {"": "PyTorch eager", "_compile": "torch.compile"}
"""Suffix of a metric → what it is compared with."""


@dataclass(frozen=True)
class Figure:
    """A measure as it is written."""

    value: str
    interval: str
    tasks: str
    """Of how many tasks, where that is not all."""
    measure: Measure | None
    is_share: bool


@dataclass(frozen=True)
class Row:
    metric: str
    name: str
    words: str
    figures: tuple[Figure, ...]
    """One a run."""


@dataclass(frozen=True)
class Group:
    name: str
    rows: tuple[Row, ...]


def groups(runs: Sequence[Run]) -> list[Group]:
    """Success of one answer and of the best of all, the speed of both, coverage. A baseline that no run was
    compared with is left out, but for eager."""
    found: list[Group] = []
    for k in _ks(runs):
        how = "one answer a task" if k == 1 else f"best of {k} answers"
        found.append(Group(f"Success, {how}", tuple(_rows(runs, SUCCESS, "", k, ""))))
        for suffix, baseline in BASELINES.items():
            rows = tuple(_rows(runs, SPEED, suffix, k, baseline))
            if not suffix or any(figure.measure for row in rows for figure in row.figures):
                found.append(Group(f"Speed over {baseline}, {how}", rows))
    words = "share of the reference's work done in Triton"
    coverage = Row("coverage", "Coverage", words, tuple(_figure(run, "coverage", True) for run in runs))
    return [*found, Group("Of right answers", (coverage,))]


def _ks(runs: Sequence[Run]) -> list[int]:
    return sorted({1, *(run.table.num_samples for run in runs if run.table.num_samples)})


def _rows(
    runs: Sequence[Run], metrics: dict[str, tuple[str, str]], suffix: str, k: int, baseline: str
) -> Iterator[Row]:
    for metric, (name, words) in metrics.items():
        key = f"{metric}{suffix}@{k}"
        figures = tuple(_figure(run, key, not metric.startswith("speedup")) for run in runs)
        yield Row(key, name.format(k=k), words.format(baseline=baseline), figures)


def _figure(run: Run, metric: str, is_share: bool) -> Figure:
    measure = run.table.metrics.get(metric)
    if measure is None:
        return Figure(MISSING, "", "", None, is_share)
    # What coverage rests on are answers, not tasks.
    fewer = metric != "coverage" and measure.num_tasks != run.table.num_tasks
    tasks = f"of {measure.num_tasks:,} tasks" if fewer else ""
    return Figure(amount(measure.value, is_share), interval(measure, is_share), tasks, measure, is_share)


def amount(value: float, is_share: bool = True) -> str:
    """`70.5%` or `1.32×`."""
    return f"{100 * value:.1f}%" if is_share else f"{value:.2f}×"


def interval(measure: Measure, is_share: bool = True) -> str:
    """`65.3–75.5%` or `1.26–1.39×`; nothing where it is not known."""
    if measure.interval is None:
        return ""
    low, high = measure.interval
    return f"{amount(low, is_share)[:-1]}–{amount(high, is_share)}"
