"""`report.md`: the same figures for a README, short, with links to the charts beside it."""

import re
from collections.abc import Iterable, Sequence

from tritonrl.evaluate.report import breakdown
from tritonrl.evaluate.report.breakdown import Measured
from tritonrl.evaluate.report.canvas import Chart
from tritonrl.evaluate.report.figures import BASELINES, MISSING, Figure, amount, groups, interval
from tritonrl.evaluate.report.runs import Run, facts, speed_sentence, suites
from tritonrl.evaluate.report.text import shortened

LONGEST_CELL = 160
LONGEST_LINE = 2000
MOST_UNSCORED = 20


def markdown(runs: Sequence[Run], charts: Sequence[Chart]) -> str:
    """The whole document."""
    labels = [run.label for run in runs]
    said = "; ".join(f"{name} {value}" for name, value in facts(runs).items())
    blocks = [
        f"# {_text(suites(runs))}: {_text(', '.join(labels))}",
        f"{_text(said, LONGEST_LINE)}.",
        f"Protocol {_text(runs[0].protocol.name)}: {_text(runs[0].protocol.words, LONGEST_LINE)}. "
        "Intervals hold the true figure with 95 % confidence.",
        _results(runs),
    ]
    if sentence := speed_sentence(runs):
        blocks.append(_text(sentence, LONGEST_LINE))
    blocks += _by_level(runs)
    blocks += _failures(runs)
    blocks += _unscored(runs)
    blocks += [f"![{_text(each.title)}]({each.name}.png)" for each in charts]
    return "\n\n".join(blocks) + "\n"


def _results(runs: Sequence[Run]) -> str:
    rows = []
    for group in groups(runs):
        rows.append([f"**{_text(group.name)}**", *("" for _ in runs)])
        rows += [[_text(row.name), *map(_figure, row.figures)] for row in group.rows]
    return _table(["", *(_text(run.label) for run in runs)], rows)


def _figure(figure: Figure) -> str:
    if figure.measure is None:
        return MISSING
    more = ", ".join(filter(None, (figure.interval, figure.tasks)))
    return f"{figure.value} ({more})" if more else figure.value


def _by_level(runs: Sequence[Run]) -> list[str]:
    found = {"pass@1": (breakdown.by_level(runs), True)}
    for suffix, name in BASELINES.items():
        levels = breakdown.speed_by_level(runs, suffix.removeprefix("_") or "eager")
        found[f"speedup over {name}, geometric mean"] = (levels, False)
    tables = [_levels(runs, name, levels, is_share) for name, (levels, is_share) in found.items() if levels]
    return ["## By level", *tables] if tables else []


def _levels(runs: Sequence[Run], name: str, levels: Iterable[Measured], is_share: bool) -> str:
    rows = [
        [
            f"level {level.name}",
            f"{level.num_tasks:,}",
            *(
                f"{amount(each.value, is_share)} ({interval(each, is_share)})" if each else MISSING
                for each in level.measures
            ),
        ]
        for level in levels
    ]
    return _table([name, "tasks", *(_text(run.label) for run in runs)], rows)


def _failures(runs: Sequence[Run]) -> list[str]:
    rows = [
        [
            _text(name),
            _text(each.name),
            *(
                MISSING if share is None else f"{count:,} ({amount(share)})"
                for count, share in zip(each.counts, each.shares, strict=True)
            ),
        ]
        for name, found in (("layer", breakdown.by_layer(runs)), ("rule", breakdown.by_rule(runs)))
        for each in found
    ]
    header = ["failed by", "", *(_text(run.label) for run in runs)]
    words = "Candidates that were rejected, and their share of all candidates."
    return ["## Failures", words, _table(header, rows)] if rows else []


def _unscored(runs: Sequence[Run]) -> list[str]:
    rows = [
        [_text(run.label), _text(task), _text(reason)]
        for run in runs
        for task, reason in run.table.unusable.items()
    ]
    if not rows:
        return []
    more = len(rows) - MOST_UNSCORED
    tail = [f"{more:,} more."] if more > 0 else []
    return ["## Not scored", _table(["run", "task", "reason"], rows[:MOST_UNSCORED]), *tail]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str, longest: int = LONGEST_CELL) -> str:
    """Words of others as words: on one line, no markup, no link."""
    return re.sub(r"([\\`*\[\]<>|~&$]|:(?=//)|\b_|_\b)", r"\\\1", shortened(text, longest))
