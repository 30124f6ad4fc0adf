"""A run on disk: interrupted, resumed, merged, damaged."""

import json
from pathlib import Path

import pytest

from tests.evaluate import made_up
from tests.evaluate.made_up import verdict
from tritonrl.errors import UserError
from tritonrl.evaluate.folder import COMPLETIONS, CONFIG, TASKS, VERDICTS, Folder
from tritonrl.evaluate.protocols import protocol
from tritonrl.evaluate.records import Listed, Outcome
from tritonrl.evaluate.table import document
from tritonrl.verify.settings import Settings

STRICT = protocol("strict")
HALF = {"a": [verdict("a")], "b": [verdict("b", correct=False)]}
OTHER = {"c": [verdict("c", valid=False, rule="A1")], "d": [None]}


def table_of(folder: Folder) -> dict:
    found = document(folder, STRICT)
    del found["run"]
    return found


def listed(*names: str) -> list[Listed]:
    return [Listed(id=name, task=made_up.task(name)) for name in names]


def settings_of(baseline: str | None) -> Settings:
    return Settings(device="cuda", timing=baseline is not None, baseline=baseline or "eager")


def test_what_was_written_is_read_again(tmp_path: Path):
    written = made_up.run(tmp_path, HALF)
    read = Folder(tmp_path)
    assert read.outcomes == written.outcomes
    assert read.written == written.written
    assert read.config == written.config
    assert [each.id for each in read.listed] == ["a", "b"]
    assert not list(tmp_path.glob("*.tmp"))


def test_a_torn_line_is_cut_off_and_the_rest_stays(tmp_path: Path):
    whole = table_of(made_up.run(tmp_path, HALF))
    lines = (tmp_path / VERDICTS).read_bytes().splitlines(keepends=True)
    (tmp_path / VERDICTS).write_bytes(lines[0] + lines[1][: len(lines[1]) // 2])
    resumed = Folder.open(tmp_path, made_up.config(samples=1), lambda: [])
    assert list(resumed.outcomes) == [("a", 0)]
    with resumed.verdicts() as write:
        write(Outcome(task="b", sample=0, verdict=HALF["b"][0]))
    assert table_of(Folder(tmp_path)) == whole


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        (VERDICTS, b'{"task": "a", "sample": 0, "verdict": {"task": 3}}\n', r"verdicts.jsonl:2: not a line"),
        (VERDICTS, b"{oops\n", r"verdicts.jsonl:2: not valid JSON"),
        (VERDICTS, b'{"task": "a", "sample": 0, "verdict": []}\n', r"verdicts.jsonl:2: not a line"),
        (COMPLETIONS, b'{"task": "a"}\n', r"completions.jsonl:2: not a line of a run: field 'sample'"),
        (COMPLETIONS, b"[1]\n", r"completions.jsonl:2: expected a JSON object"),
        (TASKS, b'{"name": "a"}\n', r"tasks.jsonl:2: not a line of a run"),
    ],
)
def test_a_line_that_is_none_is_named_and_not_swallowed(tmp_path: Path, name: str, line: bytes, reason: str):
    made_up.run(tmp_path, HALF)
    lines = (tmp_path / name).read_bytes().splitlines(keepends=True)
    (tmp_path / name).write_bytes(lines[0] + line + b"".join(lines[1:]))
    with pytest.raises(UserError, match=reason):
        Folder(tmp_path)


def test_two_half_runs_merge_into_the_whole(tmp_path: Path):
    one = made_up.run(tmp_path / "one", HALF, part=(1, 2))
    two = made_up.run(tmp_path / "two", OTHER, part=(2, 2), versions={"torch": "2.11.0"})
    whole = made_up.run(tmp_path / "whole", HALF | OTHER)
    merged = Folder.open(tmp_path / "merged", whole.config, lambda: listed("a", "b", "c", "d"))
    for half in (two, one, one):
        merged.adopt(half)
    assert table_of(Folder(tmp_path / "merged")) == table_of(whole)
    assert len((tmp_path / "merged" / VERDICTS).read_text().splitlines()) == 4


def test_a_run_that_measured_more_gives_what_is_asked_for(tmp_path: Path):
    speeds = {"a": [verdict("a", speedups={"eager": 2.0, "compile": 1.5})]}
    both = made_up.run(tmp_path / "both", speeds, settings=settings_of("both"), suite="one")

    def merged(name: str, settings: Settings, *others: Folder) -> Folder:
        config = made_up.config(samples=1, settings=settings)
        folder = Folder.open(tmp_path / name, config, lambda: listed("a", "b"))
        for other in others:
            folder.adopt(other)
        return folder

    timed = merged("timed", settings_of("eager"), both)
    assert list(table_of(timed)["metrics"]) == [
        name for name in table_of(both)["metrics"] if "compile" not in name or name == "compiled@1"
    ]
    assert table_of(timed)["metrics"]["speedup_geomean@1"]["value"] == 2.0
    assert not [
        name for name in table_of(merged("untimed", settings_of(None), both))["metrics"] if "speedup" in name
    ]
    with pytest.raises(UserError, match="another run is there; settings"):
        merged("lacking", settings_of("compile"), timed)


def test_of_another_run_other_tasks_stay_there(tmp_path: Path):
    other = made_up.run(tmp_path / "other", HALF, suite="another")
    moved = made_up.task("a").model_copy(update={"path": "elsewhere.jsonl"})
    changed = made_up.task("b").model_copy(update={"level": 7})
    folder = Folder.open(
        tmp_path / "own",
        made_up.config(samples=1),
        lambda: [Listed(id="a", task=moved), Listed(id="b", task=changed), *listed("c")],
    )
    folder.adopt(other)
    assert list(folder.outcomes) == [("a", 0)]
    assert list(folder.written) == [("a", 0)]


def test_another_run_is_neither_continued_nor_merged(tmp_path: Path):
    one = made_up.run(tmp_path / "one", HALF)
    with pytest.raises(UserError, match="another run is there; model: 'nobody' there, 'composer' here"):
        Folder.open(tmp_path / "one", made_up.config(samples=1, model="composer"), lambda: [])
    with pytest.raises(UserError, match="another run is there; seed: 7 there, 0 here"):
        one.adopt(made_up.run(tmp_path / "two", OTHER, seed=7))


def test_what_failed_through_our_own_fault_is_tried_again(tmp_path: Path):
    folder = made_up.run(tmp_path, HALF)
    with folder.verdicts() as write:
        write(Outcome(task="b", sample=0, error="the judge died", blame="verifier"))
    again = Folder(tmp_path)
    assert again.has_outcome("a", 0)
    assert not again.has_outcome("b", 0)
    assert not again.has_outcome("c", 0)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path):
    with pytest.raises(UserError, match="no run of `tritonrl eval`"):
        Folder(tmp_path)
    (tmp_path / CONFIG).write_text(json.dumps({"suite": "x"}))
    with pytest.raises(UserError, match=r"config\.json: field 'model'"):
        Folder(tmp_path)
