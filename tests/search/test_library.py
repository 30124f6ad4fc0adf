"""The library: kept for later, shared, never torn, never believed."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import run, run_process
from tests.evaluate.made_up import verdict
from tests.search.made_up_times import timed
from tritonrl.errors import UserError
from tritonrl.program import Program
from tritonrl.search.library import Entry, Library, read_rows


def program(width: int) -> Program:
    nodes = [["relu", [0]], ["abs", [1]]]
    return Program.from_json({"inputs": [f"float32[4,{width}]"], "nodes": nodes, "outputs": [2]})


def entry(width: int, speedup: float = 2.0, code: str = "x = 1\n" * 400, **changes: object) -> Entry:
    made = timed(verdict("fragment"), 10.0 * speedup, 10.0).model_copy(
        update={"versions": {"torch": "2.13.0"}}
    )
    return Entry.of(program(width), "a GPU", "names", "a plan", code, made).model_copy(update=changes)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "deep" / "kernels.sqlite")


@pytest.mark.parametrize("is_kept", [True, False], ids=["in a file", "in memory"])
def test_the_fastest_is_kept(library: Library, is_kept: bool):
    library = library if is_kept else Library()
    assert library.put(entry(8, 2.0, "a"))
    assert not library.put(entry(8, 1.5, "b"))
    assert library.put(entry(8, 3.0, "c"))
    assert library.put(entry(8, 9.0, "d", device="another GPU"))
    assert library.put(entry(8, 1.0, "e", versions={"torch": "3"}))
    assert library.put(entry(9, 1.0, "f"))
    found = library.find(program(8), "ieee")
    assert [each.code for each in found] == ["d", "c", "e"]
    assert library.find(program(8), "tf32") == []
    assert library.find(program(7), "ieee") == []
    library.drop(found[0])
    assert [each.code for each in library.find(program(8), "ieee")] == ["c", "e"]
    assert found[1].times_us == (30.0, 10.0)
    assert found[1].ops == ("relu", "abs")


def test_it_is_there_the_next_time(library: Library):
    library.put(entry(8))
    assert library.path
    assert Library(library.path).entries() == [
        entry(8).model_copy(update={"made": library.entries()[0].made})
    ]


def test_a_changed_entry_is_passed_over(library: Library):
    library.put(entry(8, code="honest"))
    library.put(entry(9, code="other"))
    assert library.path
    with sqlite3.connect(library.path) as base:
        changed = base.execute("UPDATE kernels SET entry = replace(entry, 'honest', 'hostile')").rowcount
    assert changed == 2
    assert [each.code for each in library.entries()] == ["other"]
    assert library.find(program(8), "ieee") == []
    assert library.put(entry(8, 0.5, "anew")), "and gives way to whatever is honest"
    assert [each.code for each in library.find(program(8), "ieee")] == ["anew"]


def test_what_is_no_library_is_one_line(tmp_path: Path):
    (tmp_path / "text").write_text("not a database, by far " * 100)
    with pytest.raises(UserError, match="cannot be used as a library"):
        Library(tmp_path / "text")
    with pytest.raises(UserError, match="cannot be a library"):
        Library(tmp_path / "text" / "below")
    with sqlite3.connect(tmp_path / "newer") as base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(UserError, match="another version, 99"):
        Library(tmp_path / "newer")


@pytest.mark.slow
def test_two_write_at_once_and_a_kill_tears_nothing(tmp_path: Path):
    """Two processes write; each is killed in the middle of it, three times. All that they said is there."""
    path, script = tmp_path / "kernels.sqlite", Path(__file__).with_name("writes_forever.py")
    Library(path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said: set[int] = set()
    for turn in range(3):
        commands = [[sys.executable, script, path, str(1 + turn * 20_000 + half * 10_000)] for half in (0, 1)]
        running = [
            subprocess.Popen(each, stdout=subprocess.PIPE, text=True, env=environment) for each in commands
        ]
        for each in running:
            assert each.stdout
            said |= {int(each.stdout.readline()) for _ in range(20 + 3 * turn)}
        for each in running:
            each.send_signal(signal.SIGKILL)
            assert each.stdout
            said |= {int(line) for line in each.stdout if line.endswith("\n")}
            each.wait()
            each.stdout.close()
    found = Library(path)
    widths = {Program.from_json(each.program).inputs[0].shape[1] for each in found.entries()}
    assert said <= widths
    assert len(widths) <= len(said) + 6, "at most the one that each was about to tell of"
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_library_travels(library: Library, tmp_path: Path):
    for width in (8, 9):
        library.put(entry(width))
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps(each.model_dump(mode='json'))}\n" for each in library.entries()))
    other = Library(tmp_path / "other.sqlite")
    assert other.take(read_rows(rows), str(rows)) == 2
    assert other.take(read_rows(rows), str(rows)) == 0
    assert other.entries() == library.entries()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"code": None}, "'code'"),
        ({"fragment": "0" * 16}, "is not the id of its program"),
        ({"program": {"inputs": []}}, "exactly the keys"),
        ({"more": 1}, "'more'"),
    ],
)
def test_a_row_that_is_no_entry_is_named(library: Library, tmp_path: Path, change: dict, message: str):
    row = entry(8).model_dump(mode="json") | change
    rows = tmp_path / "rows.jsonl"
    rows.write_text(f"{json.dumps(entry(9).model_dump(mode='json'))}\n{json.dumps(row)}\n")
    with pytest.raises(UserError, match=rf"rows\.jsonl:2: no entry of a library: .*{message}"):
        library.take(read_rows(rows), str(rows))
    assert library.entries() == [], "all of a file, or nothing"


@pytest.mark.slow
def test_the_commands(library: Library, tmp_path: Path):
    library.put(entry(8))
    path, id_ = library.path, program(8).program_id
    listed = json.loads(run_process("library", "list", "--library", path, "--json").stdout)
    assert (listed["num_entries"], listed["entries"][0]["id"]) == (1, id_)
    assert "relu · abs" in run("library", "list", "--library", path).stdout
    shown = json.loads(run("library", "show", id_[:6], "--library", path, "--json").stdout)
    assert shown["entries"][0]["plan"] == "a plan"
    assert run("library", "show", "nothing", "--library", path).returncode == 1
    done = run("library", "export", tmp_path / "all.jsonl", "--library", path, "--json")
    assert json.loads(done.stdout) == {"num_entries": 1, "out": str(tmp_path / "all.jsonl")}
    done = run("library", "import", tmp_path / "all.jsonl", "--library", tmp_path / "new.sqlite", "--json")
    assert json.loads(done.stdout) == {"num_new": 1}
    done = run("library", "import", tmp_path / "missing.jsonl", "--library", path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
