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

STRICT = protocol("strict")
HALF = {"a": [verdict("a")], "b": [verdict("b", correct=False)]}
OTHER = {"c": [verdict("c", valid=False, rule="A1")], "d": [None]}


def table_of(folder: Folder) -> dict:
    found = document(folder, STRICT)
    del found["run"]
    return found


def listed(*names: str) -> list[Listed]:
    return [Listed(id=name, task=made_up.task(name)) for name in names]


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
