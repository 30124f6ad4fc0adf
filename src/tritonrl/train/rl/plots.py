"""Pictures of a run: `curves.png`, and `findings.png` with what was rejected over training, rule by rule."""

import io
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tritonrl.files import write_whole
from tritonrl.train.rl.cheats import is_cheat
from tritonrl.train.rl.log import read, read_looks
from tritonrl.train.rl.records import Logged, Look

CURVES, FINDINGS = "curves.png", "findings.png"
MOST_RULES = 12
"""That have a colour of their own; the rest is one."""


def draw(folder: Path) -> None:
    """As far as the run has come; nothing where there is nothing to show."""
    logged, looks = read(folder), read_looks(folder)
    if not logged:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 8), layout="constrained")
    panels = figure.subplots(2, 4).ravel()
    for axes, (title, panel) in zip(panels, PANELS.items(), strict=True):
        panel(axes, logged, looks)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("generation")
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7)
    figure.suptitle(folder.name)
    _save(figure, folder / CURVES)
    _draw_findings(folder, logged)


def _lines(*names: tuple[str, Callable[[Logged], float | None]]) -> Callable[..., None]:
    def panel(axes: Any, logged: Sequence[Logged], looks: Sequence[Look]) -> None:
        for name, value in names:
            points = [(each.generation, found) for each in logged if (found := value(each)) is not None]
            if points:
                axes.plot(*zip(*points, strict=True), label=name, linewidth=1.2)

    return panel


def _looks(value: Callable[[Look], float | None]) -> Callable[..., None]:
    def panel(axes: Any, logged: Sequence[Logged], looks: Sequence[Look]) -> None:
        for level in sorted({each.level for each in looks}):
            points = [
                (each.generation, found)
                for each in looks
                if each.level == level and (found := value(each)) is not None
            ]
            if points:
                axes.plot(*zip(*points, strict=True), marker=".", label=f"level {level}", linewidth=1.2)

    return panel


def _quantile(name: str) -> Callable[[Logged], float | None]:
    return lambda each: each.answers.speedup[name] if each.answers.speedup else None


def _share(name: str) -> Callable[[Logged], float | None]:
    return lambda each: each.seconds.shares[name]


PANELS: dict[str, Callable[..., None]] = {
    "held out: correct@1": _looks(lambda each: each.correct),
    "held out: fast_1": _looks(lambda each: each.fast_1),
    "held out: geomean speedup": _looks(lambda each: each.geomean_speedup),
    "rewards": _lines(
        ("code: R_correct", lambda each: each.answers.reward_code),
        ("plan: R_speedup", lambda each: each.answers.reward_plan),
    ),
    "answers": _lines(
        ("valid", lambda each: each.answers.valid),
        ("compiled", lambda each: each.answers.compiled),
        ("correct", lambda each: each.answers.correct),
        ("mixed groups", lambda each: each.answers.mixed_groups),
    ),
    "speedup of right answers": _lines(*((name, _quantile(name)) for name in ("p10", "p50", "p90"))),
    "entropy of a token": _lines(
        ("plan", lambda each: each.update.entropy_plan), ("code", lambda each: each.update.entropy_code)
    ),
    "share of wall time": _lines(
        *((name, _share(name)) for name in ("generation", "verification", "update", "held_out"))
    ),
}


def _draw_findings(folder: Path, logged: Sequence[Logged]) -> None:
    totals: Counter[str] = Counter()
    for each in logged:
        totals.update(each.answers.findings)
    if not totals:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 5), layout="constrained")
    shown = [rule for rule, _ in totals.most_common(MOST_RULES)]
    kinds = (("cheats, by id of the catalogue", True), ("mistakes", False))
    for axes, (title, wanted) in zip(figure.subplots(1, 2), kinds, strict=True):
        bottom = [0.0] * len(logged)
        for rule in [each for each in [*shown, "others"] if each == "others" or is_cheat(each) == wanted]:
            heights = [_count(each, rule, shown, wanted) / each.answers.num_rollouts for each in logged]
            if not any(heights):
                continue
            axes.bar([each.generation for each in logged], heights, bottom=bottom, label=rule, width=1.0)
            bottom = [low + high for low, high in zip(bottom, heights, strict=True)]
        axes.set(xlabel="generation", ylabel="share of answers", title=title)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7)
    _save(figure, folder / FINDINGS)


def _count(logged: Logged, rule: str, shown: Sequence[str], cheats: bool) -> int:
    found = logged.answers.findings
    if rule != "others":
        return found.get(rule, 0)
    return sum(count for name, count in found.items() if name not in shown and is_cheat(name) == cheats)


def _save(figure: Any, path: Path) -> None:
    made = io.BytesIO()
    figure.savefig(made, format="png", dpi=110)
    write_whole(path, made.getvalue())
