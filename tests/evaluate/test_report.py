"""The report as files: figures are those of `table`, words of others stay words, nothing is asked for."""

import base64
import html
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.evaluate.made_runs import answer, make_run
from tritonrl.errors import UserError
from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.metrics import Measure
from tritonrl.evaluate.protocols import PROTOCOLS, Protocol, protocol
from tritonrl.evaluate.records import Outcome
from tritonrl.evaluate.report import write_report
from tritonrl.evaluate.report.breakdown import by_level, by_operator, fast_curve
from tritonrl.evaluate.report.markdown import markdown as render_markdown
from tritonrl.evaluate.report.page import page as render_page
from tritonrl.evaluate.report.runs import read_runs
from tritonrl.evaluate.table import by, measures, scored, table

STRICT = protocol("strict")
WRONG, CHEAT, MUTE = ("correct", "timeout"), ("faithful", "A1"), ("parse", "parse")
HOSTILE = "</script><img src=x onerror=alert(1)><!--\u202e\u2028 $x$ {{script}} | `x` [l](https://evil) &amp;"


@pytest.fixture
def timed(tmp_path: Path) -> Folder:
    fates = [[2.5, 0.5], [1.5, WRONG], [WRONG, CHEAT], [MUTE, 0.7], [3.0, 1.1]]
    return make_run(tmp_path / "timed", fates, "model-a", broken={"broken/one": "broken/one.py:3: no Python"})


@pytest.fixture
def untimed(tmp_path: Path) -> Folder:
    return make_run(tmp_path / "untimed", [[None], [WRONG], [None]], "model-b", device="cpu")


@pytest.fixture
def empty(tmp_path: Path) -> Folder:
    return make_run(tmp_path / "empty", [], "model-c")


@pytest.fixture
def hostile(tmp_path: Path) -> Folder:
    return make_run(
        tmp_path / "hostile",
        [[1.5], [("correct", HOSTILE)]],
        model=HOSTILE,
        text=lambda task, sample: answer(f"x = '{HOSTILE}'\n", plan=HOSTILE),
        ops=lambda number: (HOSTILE,),
        message=HOSTILE,
        broken={HOSTILE: HOSTILE},
    )


class Parsed(HTMLParser):
    """Elements with attributes, and texts by the id of their script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            name = self.elements[-1][1].get("id", "code")
            self.scripts[name] = self.scripts.get(name, "") + data


def rendered(*folders: Folder, under: Protocol = STRICT) -> tuple[str, str]:
    """Page and Markdown without charts, which take most of the time."""
    runs = read_runs(folders, under)
    return render_page(runs, []), render_markdown(runs, [])


def written(out: Path, *folders: Folder) -> tuple[str, str]:
    write_report(folders, out, STRICT)
    return (out / "report.html").read_text(encoding="utf-8"), (out / "report.md").read_text(encoding="utf-8")


def cells(page: str, metric: str) -> list[str]:
    """What the main table says of a metric, run by run."""
    row = re.search(rf'<tr data-metric="{re.escape(metric)}">(.*?)</tr>', page, re.DOTALL)
    assert row, metric
    return [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r"<td.*?</td>", row[1])]


def shown(measure: Measure, metric: str) -> tuple[str, str]:
    low, high = measure.interval or (0.0, 0.0)
    if metric.startswith("speedup"):
        return f"{measure.value:.2f}×", f"{low:.2f}–{high:.2f}×" if measure.interval else ""
    return f"{100 * measure.value:.1f}%", f"{100 * low:.1f}–{100 * high:.1f}%" if measure.interval else ""


@pytest.mark.parametrize("under", PROTOCOLS.values(), ids=list(PROTOCOLS))
def test_figures_are_those_of_the_table(timed: Folder, under: Protocol):
    page, text = rendered(timed, under=under)
    found = table(timed, under).metrics
    assert "fast_2_compile@2" in found
    for metric, measure in found.items():
        value, interval = shown(measure, metric)
        (cell,) = cells(page, metric)
        assert cell.startswith(value)
        assert interval in cell
        assert f"{value} ({interval}" in text
    assert under.words in html.unescape(page)


def test_runs_stand_side_by_side(timed: Folder, untimed: Folder):
    page, text = rendered(timed, untimed)
    first, second = table(timed, STRICT).metrics["pass@1"], table(untimed, STRICT).metrics["pass@1"]
    left, right = cells(page, "pass@1")
    assert left.startswith(shown(first, "pass@1")[0])
    assert right.startswith(shown(second, "pass@1")[0])
    assert cells(page, "fast_1@1")[1] == "–"
    assert cells(page, "pass@2")[1] == "–"
    assert "Speed was not measured for model-b: on a CPU" in page
    assert "|  | model-a | model-b |" in text


def test_runs_of_one_model_are_told_apart_by_their_folders(timed: Folder, tmp_path: Path):
    again = make_run(tmp_path / "again", [[None]], "model-a")
    assert [run.label for run in read_runs([timed, again], STRICT)] == ["model-a (timed)", "model-a (again)"]
    assert len({run.label for run in read_runs([timed, timed], STRICT)}) == 2


def test_without_timing_speed_is_a_dash_and_has_no_chart(untimed: Folder, tmp_path: Path):
    page, text = written(tmp_path / "out", untimed)
    assert cells(page, "fast_1@1") == cells(page, "speedup_mean@1") == ["–"]
    assert "0.00×" not in page
    assert "Speed was not measured: on a CPU kernels run in Triton's interpreter." in text
    assert not (tmp_path / "out" / "fast_p.png").exists()
    assert not (tmp_path / "out" / "speedups.png").exists()
    assert (tmp_path / "out" / "levels.png").exists()


def test_an_empty_run_has_a_report(empty: Folder, timed: Folder, tmp_path: Path):
    page, _ = written(tmp_path / "out", empty)
    assert cells(page, "pass@1") == ["–"]
    assert not list((tmp_path / "out").glob("*.png"))
    page, _ = written(tmp_path / "both", timed, empty)
    assert cells(page, "pass@1")[1] == "–"


def test_no_run_is_an_error(tmp_path: Path):
    with pytest.raises(UserError, match="needs a run"):
        write_report([], tmp_path, STRICT)


def test_tasks_that_were_not_scored_have_their_reason(timed: Folder):
    with timed.verdicts() as write:
        for sample in range(timed.config.samples):
            write(Outcome(task="made/00004", sample=sample, error="the GPU is gone", blame="verifier"))
    page, text = rendered(timed)
    assert "broken/one.py:3: no Python" in page
    assert "verifier: the GPU is gone" in page
    assert "broken/one.py:3: no Python" in text


def test_findings_have_number_share_and_family(timed: Folder):
    page, text = rendered(timed)
    assert table(timed, STRICT).findings == {"timeout": 2, "A1": 1, "parse": 1}
    assert "A: the kernel is not written or not used" in page
    assert "<b>2</b> <small>20.0%</small>" in page
    assert "| rule | timeout | 2 (20.0%) |" in text


def test_charts_show_what_the_table_says(timed: Folder):
    (run,) = read_runs([timed], STRICT)
    assert fast_curve(run, "eager", [1.0, 2.0]) == [
        run.table.metrics["fast_1@2"].value,
        run.table.metrics["fast_2@2"].value,
    ]
    groups = by(scored(timed), lambda task: (str(task.level),))
    for level in by_level([run]):
        assert level.measures == (measures(groups[level.name], STRICT)["pass@1"],)
    assert {each.name for each in by_operator([run])} == {"softmax", "add", "matmul", "relu"}


def test_details_hold_plan_code_and_verdict_and_every_text_once(timed: Folder):
    page, _ = rendered(timed)
    scripts = Parsed(page).scripts
    listed = json.loads(scripts["summary"])
    assert listed["runs"] == ["model-a"]
    assert listed["tasks"][0] == ["made/00000", 1, [0, 1], [[2, 2, 2.5, None]]]
    assert listed["tasks"][-1] == ["broken/one", None, [], [None]]
    chunk = json.loads(zlib.decompress(base64.b64decode(scripts["chunk-0"])))
    (samples,) = chunk["tasks"][1]["runs"]
    assert "# sample 1 of made/00001" in chunk["texts"][samples[1]["code"]]
    assert chunk["texts"][samples[1]["plan"]] == "rows in blocks of 1024"
    assert samples[1]["verdict"]["findings"][0]["rule"] == "timeout"
    assert samples[0]["verdict"]["timing"]["baselines"]["eager"]["speedup"] == 1.5
    assert len(set(chunk["texts"])) == len(chunk["texts"]) == 1 + 1 + 10
    assert chunk["tasks"][5]["errors"] == ["broken/one.py:3: no Python"]


def test_hostile_words_stay_words(hostile: Folder, timed: Folder, tmp_path: Path):
    page, text = written(tmp_path / "out", hostile)
    found, honest = Parsed(page), Parsed(written(tmp_path / "honest", timed)[0])
    assert {name for name, _ in found.elements} <= {name for name, _ in honest.elements}
    assert not [each for _, attributes in found.elements for each in attributes if each.startswith("on")]
    scripts = [attributes for name, attributes in found.elements if name == "script"]
    kinds = ["application/json", None, "application/octet-stream"]
    assert [each.get("type") for each in scripts] == kinds
    assert found.scripts["code"] == honest.scripts["code"]
    assert "\u202e" not in page + text
    assert "\u2028" not in page + text
    assert "⟨U+202E⟩" in page
    assert "<img" not in re.sub(r"\\<", "", text)
    assert not re.search(r"(?<!\\)\]\(https", text)


def test_nothing_is_asked_of_anybody(timed: Folder, tmp_path: Path):
    page, text = written(tmp_path / "out", timed)
    for name, attributes in Parsed(page).elements:
        assert name not in {"link", "img", "iframe", "object", "embed", "base"}
        for key, value in attributes.items():
            assert key not in {"src", "action", "srcset", "data"}
            assert key not in {"href", "xlink:href"} or value.startswith("#")
            assert not re.search(r"(https?:)?//", value)
            assert not re.search(r"url\((?!#)", value)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style
    assert not re.search(r"url\(|@import|//", style[1])
    assert "default-src 'none'" in page
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert pictures
    assert all((tmp_path / "out" / each).exists() for each in pictures)


def test_the_same_runs_give_the_same_bytes(timed: Folder, untimed: Folder, tmp_path: Path):
    first = write_report([timed, untimed], tmp_path / "first", STRICT)
    second = write_report([timed, untimed], tmp_path / "second", STRICT)
    assert [path.name for path in first] == [path.name for path in second]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert {path.suffix for path in first} == {".html", ".md", ".png"}
    assert sorted(first) == sorted((tmp_path / "first").iterdir())
