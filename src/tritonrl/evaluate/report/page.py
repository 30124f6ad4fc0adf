"""`report.html`: one file that asks nothing of anybody.

What Python writes here is text or comes through `tag`; what the script shows it sets as text. A policy in the
page's head forbids every request, and every script but ours.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files

from tritonrl.evaluate.report import breakdown
from tritonrl.evaluate.report.canvas import RUNS, Chart
from tritonrl.evaluate.report.details import chunks, dumps, summary
from tritonrl.evaluate.report.figures import MISSING, Figure, amount, groups
from tritonrl.evaluate.report.runs import Run, facts, speed_sentence, suites
from tritonrl.evaluate.report.text import Markup, join, tag

SCRIPTS = ("dom.js", "highlight.js", "list.js", "task.js", "page.js")
MOST_UNSCORED = 200
MOST_WIDE_RUNS = 2
"""Columns that fit beside each other with a picture of the interval on one line."""


def page(runs: Sequence[Run], charts: Sequence[Chart]) -> str:
    """The whole page."""
    script = "\n".join(_asset(name) for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{script}\n}})();\n'
    models = [run.label for run in runs]
    parts = {
        "policy": Markup(_policy(script)),
        "title": join(f"{suites(runs)}: {', '.join(models)}"),
        "style": Markup(_asset("page.css")),
        "heading": join(suites(runs)),
        "runs": join(*(_run_name(number, run) for number, run in enumerate(runs))),
        "facts": _facts(runs),
        "protocol": join(f"{runs[0].protocol.name}: {runs[0].protocol.words}."),
        "results": _results(runs),
        "charts": _charts(runs, charts),
        "findings": _findings(runs),
        "unscored": _unscored(runs),
        "summary": Markup(dumps(summary(runs))),
        "script": Markup(script),
        "chunks": join(*_chunks(runs)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("tritonrl.evaluate.report") / "assets" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    sources = f"script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _run_name(number: int, run: Run) -> Markup:
    return tag("span", tag("i", class_="mark", style=_mark(number)), run.label, class_="run")


def _mark(run: int) -> str:
    return f"--mark: var(--run-{run % len(RUNS)})"


def _facts(runs: Sequence[Run]) -> Markup:
    return join(*(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts(runs).items()))


def _box(label: str, content: Markup, class_: str = "") -> Markup:
    """What scrolls by itself, also by keyboard."""
    return tag("div", content, class_=f"box {class_}".strip(), tabindex="0", role="region", aria_label=label)


def _results(runs: Sequence[Run]) -> Markup:
    names = (tag("th", _run_name(number, run), scope="col") for number, run in enumerate(runs))
    head = tag("thead", tag("tr", tag("th", "Metric", scope="col"), *names))
    bodies = []
    for group in groups(runs):
        heading = tag("th", tag("span", group.name), scope="rowgroup", colspan=str(len(runs) + 1))
        rows = (
            tag(
                "tr",
                tag("th", row.name, tag("small", row.words) if row.words else "", scope="row"),
                *(_cell(figure, number) for number, figure in enumerate(row.figures)),
                data_metric=row.metric,
            )
            for row in group.rows
        )
        bodies.append(tag("tbody", tag("tr", heading, class_="group"), *rows))
    return _box("Results", tag("table", head, *bodies, class_=_results_class(runs)))


def _results_class(runs: Sequence[Run]) -> str:
    return "results" if len(runs) <= MOST_WIDE_RUNS else "results narrow"


def _cell(figure: Figure, run: int) -> Markup:
    measure = figure.measure
    if measure is None:
        return tag("td", tag("span", MISSING, class_="missing", title="not measured"))
    shown = [tag("b", figure.value), " ", tag("small", figure.interval)]
    if figure.tasks:
        shown.append(tag("small", f" {figure.tasks}"))
    if figure.is_share and measure.interval:
        low, value, high = (100 * each for each in (measure.interval[0], measure.value, measure.interval[1]))
        interval = tag("i", style=f"left:{low:.1f}%;width:{high - low:.1f}%")
        shown.append(
            tag("span", interval, tag("b", style=f"left:{value:.1f}%"), class_="range", aria_hidden="true")
        )
    return tag("td", *shown, style=_mark(run))


def _charts(runs: Sequence[Run], charts: Sequence[Chart]) -> Markup:
    sentence = speed_sentence(runs)
    said = [tag("p", sentence, class_="note")] if sentence else []
    return join(*said, tag("div", *map(_chart, charts), class_="charts") if charts else "")


def _chart(chart: Chart) -> Markup:
    drawing = _box(chart.title, chart.svg, "tall") if chart.tall else chart.svg
    return tag("figure", tag("h3", chart.title), drawing, tag("figcaption", chart.caption))


def _findings(runs: Sequence[Run]) -> Markup:
    rules = breakdown.by_rule(runs)
    if not rules:
        return tag("p", "No candidate was rejected by a rule.", class_="note")
    names = (tag("th", _run_name(number, run), scope="col") for number, run in enumerate(runs))
    head = tag("thead", tag("tr", tag("th", "Rule", scope="col"), *names))
    bodies = []
    for family in dict.fromkeys(rule.family for rule in rules):
        words = breakdown.FAMILIES.get(family)
        name = f"{family}: {words}" if words else "Mistakes"
        heading = tag("th", tag("span", name), scope="rowgroup", colspan=str(len(runs) + 1))
        rows = (
            tag("tr", tag("th", rule.name, scope="row"), *map(_count, rule.counts, rule.shares))
            for rule in rules
            if rule.family == family
        )
        bodies.append(tag("tbody", tag("tr", heading, class_="group"), *rows))
    return _box("Findings", tag("table", head, *bodies, class_=_results_class(runs)))


def _count(count: int, share: float | None) -> Markup:
    if share is None:
        return tag("td", tag("span", MISSING, class_="missing"))
    return tag("td", tag("b", f"{count:,}"), " ", tag("small", amount(share)))


def _unscored(runs: Sequence[Run]) -> Markup:
    rows = [(task, reason, run) for run in runs for task, reason in run.table.unusable.items()]
    if not rows:
        return tag("p", "Every task that was tried was scored.", class_="note")
    several = len(runs) > 1
    columns = ("Task", *(["Run"] if several else []), "Reason")
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in columns)))
    shown = [
        tag(
            "tr",
            tag("th", task, scope="row", class_="id"),
            *([tag("td", run.label)] if several else []),
            tag("td", reason, class_="reason"),
        )
        for task, reason, run in rows[:MOST_UNSCORED]
    ]
    more = len(rows) - len(shown)
    note = (
        [tag("p", f"{more:,} more; the list of tasks shows them under “not scored”.", class_="note")]
        if more
        else []
    )
    table = tag("table", head, tag("tbody", *shown), class_="unscored")
    return join(_box("Tasks that could not be scored", table, "tall"), *note)


def _chunks(runs: Sequence[Run]) -> Iterator[Markup]:
    for number, chunk in enumerate(chunks(runs)):
        yield Markup(f'<script type="application/octet-stream" id="chunk-{number}">{chunk}</script>\n')
