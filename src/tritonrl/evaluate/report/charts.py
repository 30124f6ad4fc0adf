"""The charts of a report, each only where there is something to show, drawn once by matplotlib."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tritonrl.evaluate.report import breakdown
from tritonrl.evaluate.report.breakdown import Failures, Measured
from tritonrl.evaluate.report.canvas import INK, MUTED, Chart, axes, colour, drawing, finished, legend
from tritonrl.evaluate.report.runs import Run
from tritonrl.evaluate.report.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNKNOWN = "?"
"""In place of an interval, where the tasks tell of none."""
MOST_OPERATORS = 40
MOST_RULES = 24
LONGEST_NAME = 28
MOST_TICKS = 8
"""Of a histogram, whose names have room beside each other."""
MOST_INSIDE = 2
"""Runs whose names have room inside a chart of curves."""
THRESHOLDS = [step / 50 for step in range(201)]
"""p of fast_p, 0 to 4."""
WORDS = {"eager": "PyTorch eager", "compile": "torch.compile"}
FARTHEST = 6
"""Powers of two that the histogram of speedups shows; what lies beyond counts at the edge."""


def charts(runs: Sequence[Run]) -> list[Chart]:
    """Those for which there is data, in the order of the page."""
    with drawing():
        return list(_charts(runs))


def _charts(runs: Sequence[Run]) -> Iterator[Chart]:
    if any(run.baselines for run in runs):
        yield _fast(runs)
        if any(breakdown.right_speedups(run, run.baselines[0]) for run in runs if run.baselines):
            yield _speedups(runs)
    if levels := breakdown.speed_by_level(runs, _baseline(runs)):
        yield _speed_by_level(runs, levels)
    if levels := breakdown.by_level(runs):
        yield _success_by_level(runs, levels)
    if layers := breakdown.by_layer(runs):
        yield _failures(runs, layers, "layers", "Failures by layer")
    if operators := breakdown.by_operator(runs):
        yield _operators(runs, operators)
    if rules := breakdown.by_rule(runs):
        rules = sorted(rules, key=lambda each: (-sum(each.counts), each.name))
        yield _failures(runs, rules, "rules", "Failures by rule")


def _fast(runs: Sequence[Run]) -> Chart:
    plot = axes(6.0, 3.6)
    for number, run in enumerate(runs):
        for baseline in run.baselines:
            style, width = ("-", 2.0) if baseline == "eager" else ((0, (4, 2)), 1.4)
            name = f"over {WORDS[baseline]}" if len(runs) == 1 else _name(run)
            label = name if len(runs) == 1 or baseline == run.baselines[0] else None
            shares = breakdown.fast_curve(run, baseline, THRESHOLDS)
            plot.plot(THRESHOLDS, shares, color=colour(number), linestyle=style, linewidth=width, label=label)
    plot.axvline(1.0, color=MUTED, linewidth=0.8, linestyle=":")
    plot.set(xlim=(0, 4), ylim=(0, 1.02), xlabel="p, times faster than the baseline", ylabel="share of tasks")
    _percent(plot.yaxis)
    legend(plot, "upper right" if len(runs) <= MOST_INSIDE else "outside")
    most = max(run.table.num_samples for run in runs)
    best = f", best of {most}" if most > 1 else ""
    said = [
        f"{run.label} over {WORDS[name]}: {share:.0%} at p = 1"
        for run in runs
        for name in run.baselines
        for share in breakdown.fast_curve(run, name, [1.0])
    ]
    both = any("compile" in run.baselines for run in runs)
    lines = "; solid: over eager, dashed: over torch.compile" if both else ""
    caption = f"Share of tasks with a right answer more than p times as fast as the baseline{best}{lines}."
    return finished(plot, "fast_p", "fast_p", caption, said)


def _speedups(runs: Sequence[Run]) -> Chart:
    import math

    known = {
        number: breakdown.right_speedups(run, run.baselines[0])
        for number, run in enumerate(runs)
        if run.baselines
    }
    logs = {
        number: [max(-FARTHEST, min(FARTHEST, math.log2(max(each, 2.0**-FARTHEST)))) for each in values]
        for number, values in known.items()
        if values
    }
    low = math.floor(min(min(values) for values in logs.values()))
    high = max(math.ceil(max(max(values) for values in logs.values())), low + 1)
    edges = [low + step / 4 for step in range(4 * (high - low) + 1)]
    plot = axes(6.0, 3.6)
    for number, values in logs.items():
        weights = [1 / len(values)] * len(values)
        label = _name(runs[number])
        shape = {"histtype": "stepfilled", "linewidth": 1.6, "edgecolor": colour(number)}
        plot.hist(values, edges, weights=weights, label=label, facecolor=f"{colour(number)}33", **shape)
    plot.axvline(0.0, color=INK, linewidth=1.0, linestyle=":")
    ticks = range(low + low % 2, high + 1, 2) if high - low > MOST_TICKS else range(low, high + 1)
    plot.set_xticks(ticks, [f"{2.0**tick:g}×" if tick >= 0 else f"1/{2**-tick}×" for tick in ticks])
    baseline = WORDS[_baseline(runs)]
    plot.set(xlabel=f"speedup over {baseline}, log scale", ylabel="share of right answers")
    _percent(plot.yaxis)
    if len(logs) > 1:
        legend(plot, "upper right" if len(logs) <= MOST_INSIDE else "outside")
    said = [
        f"{runs[number].label}: {sum(each > 1 for each in known[number])} of {len(values)} right answers are "
        "faster"
        for number, values in logs.items()
    ]
    caption = f"Speedups of all right answers over {baseline}; the dotted line is 1×."
    return finished(plot, "speedups", "Distribution of speedups", caption, said)


def _success_by_level(runs: Sequence[Run], levels: Sequence[Measured]) -> Chart:
    plot = _columns(runs, levels)
    plot.set(ylim=(0, 1.02), ylabel="pass@1")
    _percent(plot.yaxis)
    caption = "pass@1 by level, with 95 % intervals."
    return finished(plot, "levels", "Success by level", caption, _said(runs, levels, "level "))


def _speed_by_level(runs: Sequence[Run], levels: Sequence[Measured]) -> Chart:
    baseline = WORDS[_baseline(runs)]
    plot = _columns(runs, levels)
    plot.axhline(1.0, color=INK, linewidth=1.0, linestyle=":")
    plot.set(ylabel=f"speedup over {baseline}")
    plot.yaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    caption = f"Geometric mean of the speedup over {baseline} by level, with 95 % intervals."
    said = _said(runs, levels, "level ", "{:.2f}×")
    return finished(plot, "level_speeds", "Speed by level", caption, said)


def _columns(runs: Sequence[Run], levels: Sequence[Measured]) -> "Axes":
    """Upright bars, a group a level, a bar a run."""
    plot = axes(6.0, 3.4)
    width = 0.76 / len(runs)
    for number, run in enumerate(runs):
        known = {at: each for at, level in enumerate(levels) if (each := level.measures[number])}
        at = [place + (number - (len(runs) - 1) / 2) * width for place in known]
        heights = [each.value for each in known.values()]
        plot.bar(at, heights, 0.9 * width, color=colour(number), label=_name(run))
        for x, each in zip(at, known.values(), strict=True):
            if each.interval:
                plot.plot([x, x], each.interval, color=INK, linewidth=1.2)
            else:
                plot.text(x, each.value, UNKNOWN, ha="center", va="bottom")
    plot.set_xticks(
        range(len(levels)), [f"level {level.name}\n{level.num_tasks:,} tasks" for level in levels]
    )
    plot.set_xlim(-0.6, len(levels) - 0.4)
    if len(runs) > 1:
        legend(plot, "outside")
    return plot


def _operators(runs: Sequence[Run], operators: Sequence[Measured]) -> Chart:
    commonest = sorted(operators, key=lambda each: (-each.num_tasks, each.name))[:MOST_OPERATORS]
    shown = [each for each in operators if each in commonest]
    values = [[measure and measure.value for measure in each.measures] for each in shown]
    ranges = [[measure and measure.interval for measure in each.measures] for each in shown]
    names = [f"{shortened(each.name, LONGEST_NAME)} ({each.num_tasks:,})" for each in shown]
    plot = _bars(runs, names, values, ranges)
    plot.set(xlim=(0, 1.02), xlabel="pass@1")
    more = len(operators) - len(shown)
    note = f" The {len(shown)} commonest; {more} more are not drawn." if more else ""
    caption = (
        f"pass@1 of the tasks that hold an operator (how many), with 95 % intervals, or {UNKNOWN}.{note}"
    )
    said = _said(runs, shown[:5], "")
    return finished(plot, "operators", "Success by operator", caption, said, tall=len(shown) > 12)


def _failures(runs: Sequence[Run], failures: Sequence[Failures], name: str, title: str) -> Chart:
    shown = failures[:MOST_RULES]
    names = [shortened(each.name, LONGEST_NAME) for each in shown]
    plot = _bars(runs, names, [list(each.shares) for each in shown])
    plot.set(xlabel="share of all candidates")
    plot.set_xlim(left=0)
    more = len(failures) - len(shown)
    note = f" The {len(shown)} commonest; {more} more are not drawn." if more else ""
    where = "Where candidates fail first" if name == "layers" else "The finding that decided"
    said = [
        f"{each.name}, {run.label}: {count}"
        for each in shown[:6]
        for run, count in zip(runs, each.counts, strict=True)
    ]
    caption = f"{where}, as a share of all candidates.{note}"
    return finished(plot, f"failures_{name}", title, caption, said, tall=len(shown) > 12)


def _bars(
    runs: Sequence[Run],
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    ranges: Sequence[Sequence[tuple[float, float] | None]] | None = None,
) -> "Axes":
    """Horizontal bars from the top down, a group a name, a bar a run."""
    thickness = 0.78 / len(runs)
    plot = axes(6.0, 0.9 + len(names) * max(0.27, 0.15 * len(runs)), across=True)
    for number, run in enumerate(runs):
        at = [row + (number - (len(runs) - 1) / 2) * thickness for row in range(len(names))]
        widths = [value[number] or 0.0 for value in values]
        label = _name(run)
        plot.barh(at, widths, 0.9 * thickness, color=colour(number), label=label)
        for y, value, each in zip(at, values, ranges or (), strict=False):
            if found := each[number]:
                plot.plot(found, [y, y], color=INK, linewidth=1.0)
            elif value[number] is not None:
                plot.text(value[number] or 0.0, y, f" {UNKNOWN}", va="center")
    plot.set_yticks(range(len(names)), names)
    plot.set_ylim(len(names) - 0.4, -0.6)
    _percent(plot.xaxis)
    if len(runs) > 1:
        legend(plot, "outside")
    return plot


def _name(run: Run) -> str:
    """Models differ at their ends as often as at their beginnings."""
    half = LONGEST_NAME // 2
    return run.label if len(run.label) <= LONGEST_NAME else f"{run.label[:half]}…{run.label[1 - half :]}"


def _percent(axis) -> None:  # pyright: ignore[reportMissingParameterType]
    axis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")


def _baseline(runs: Sequence[Run]) -> str:
    """What the first run that has a speed was compared with."""
    return next((run.baselines[0] for run in runs if run.baselines), "eager")


def _said(runs: Sequence[Run], found: Sequence[Measured], prefix: str, form: str = "{:.0%}") -> list[str]:
    return [
        f"{prefix}{each.name}, {run.label}: {form.format(measure.value)}"
        for each in found
        for run, measure in zip(runs, each.measures, strict=True)
        if measure
    ]
