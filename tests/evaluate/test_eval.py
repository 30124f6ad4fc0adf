"""`tritonrl eval` as a user runs it: killed and restarted, in parts, over odd files, with saved answers."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command import TRITONRL, run
from tests.evaluate import made_up
from tests.evaluate.odd_folder import FILES, NO_ANSWER, SCORED, UNUSABLE
from tritonrl.errors import UserError
from tritonrl.evaluate.evaluate import evaluate
from tritonrl.evaluate.folder import Folder
from tritonrl.evaluate.models import model
from tritonrl.evaluate.protocols import protocol
from tritonrl.evaluate.suites import suite
from tritonrl.evaluate.table import document
from tritonrl.search.library import Library
from tritonrl.verify import Settings, Zygotes

SECONDS = 240
QUICK = Settings(num_calls=1, lint_seconds=0)
FUNCTIONS = (
    "torch.relu(tensor_0)",
    "torch.exp(tensor_0) + 1.0",
    "tensor_0.sum(dim=1)",
    "tensor_0 * tensor_0",
)
SOURCE = """import torch


def get_inputs():
    return [torch.randn(6, 20)]


def fused_operator(tensor_0):
    return [{}]
"""


COMPOSER = ("--model", "composer")
"""Who is sure to write what is right."""


def evaluated(*arguments: object) -> dict[str, Any]:
    done = run("eval", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_folder(found: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in found.items() if name != "run"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four tasks that an interpreter runs quickly."""
    path = tmp_path_factory.mktemp("suite") / "programs.jsonl"
    rows = [{"id": f"task-{n}", "source": SOURCE.format(each)} for n, each in enumerate(FUNCTIONS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def unbroken(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("runs") / "unbroken"
    return evaluated(programs, "--samples", 2, "--out", out, *COMPOSER)


def test_an_unbroken_run(unbroken: dict[str, Any]):
    assert unbroken["num_tasks"] == 4
    assert unbroken["num_verdicts"] == 8
    assert unbroken["metrics"]["pass@2"]["value"] == 1.0
    assert unbroken["unusable"] == {}
    assert "fast_1@1" not in unbroken["metrics"], "nothing is timed on a CPU"


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_to_the_same_table(
    programs: Path, unbroken: dict[str, Any], tmp_path: Path
):
    again = (programs, "--samples", "2", "--out", tmp_path / "run", *COMPOSER)
    command = [TRITONRL, "eval", *again]
    marked = {**os.environ, "TRITONRL_TEST_RUN": str(tmp_path)}
    for seconds in (3.0, 6.0):
        with subprocess.Popen(command, env=marked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as broken:
            time.sleep(seconds)
            broken.send_signal(signal.SIGKILL)
            broken.communicate(timeout=30)
    assert without_folder(evaluated(*again)) == without_folder(unbroken)
    before = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    assert without_folder(evaluated(*again)) == without_folder(unbroken)
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == before, "nothing is done twice"


def test_two_parts_merge(programs: Path, zygotes: Zygotes, tmp_path: Path):
    def completed(name: str, part: tuple[int, int], *others: Folder) -> Folder:
        config = made_up.config(suite=str(programs), model="composer", samples=2, part=part, settings=QUICK)
        folder = Folder.open(tmp_path / name, config, lambda: suite(str(programs), part=part))
        for other in others:
            folder.adopt(other)
        evaluate(folder, zygotes=zygotes)
        return folder

    halves = completed("one", (1, 2)), completed("two", (2, 2))
    assert [len(each.outcomes) for each in halves] == [4, 4]
    whole, merged = completed("whole", (1, 1)), completed("merged", (1, 1), *halves)
    assert merged.outcomes == halves[0].outcomes | halves[1].outcomes, "nothing is judged again"
    tables = [without_folder(document(each, protocol("strict"))) for each in (whole, merged)]
    assert tables[0] == tables[1]
    assert tables[0]["metrics"]["pass@2"]["value"] == 1.0


def test_a_damaged_line_is_named(programs: Path, unbroken: dict[str, Any]):
    damaged = Path(unbroken["run"]) / "verdicts.jsonl"
    whole = damaged.read_text()
    lines = whole.splitlines(keepends=True)
    damaged.write_text("".join([*lines[:2], "{oops\n", *lines[2:]]))
    done = run("eval", programs, "--samples", 2, "--out", unbroken["run"], *COMPOSER)
    damaged.write_text(whole)
    assert done.returncode == 2
    assert "verdicts.jsonl:3: not valid JSON" in done.stderr
    assert done.stderr.count("\n") == 1


def test_saved_completions_are_scored_without_a_model(
    programs: Path, unbroken: dict[str, Any], tmp_path: Path
):
    answers = Folder(Path(unbroken["run"])).written
    right, wrong, none, plain = dict.fromkeys(task for task, _ in answers)
    text = {task: answers[task, 0].text or "" for task, _ in answers}
    rows = [
        {"task": right, "text": text[right]},
        {"task": wrong, "completion": text[wrong].replace("tl.store(", "tl.store(1 + ", 1)},
        {"task": plain, "code": text[plain].partition("```python\n")[2].removesuffix("```\n")},
    ]
    saved = tmp_path / "saved.jsonl"
    saved.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evaluated(programs, "--completions", saved, "--out", tmp_path / "run")
    assert found["metrics"]["pass@1"]["value"] == 0.5
    assert found["layers"].pop("no answer") == 1
    assert sum(found["layers"].values()) == 1
    assert none not in found["unusable"], "a model that gives no answer is wrong"


@pytest.mark.slow
def test_odd_files_are_handled_one_by_one(tmp_path: Path):
    for name, (_, _, text) in FILES.items():
        (tmp_path / "odd" / f"{name}.py").parent.mkdir(exist_ok=True)
        (tmp_path / "odd" / f"{name}.py").write_text(text)
    found = evaluated(tmp_path / "odd", "--out", tmp_path / "run", *COMPOSER)
    folder, became = Folder(tmp_path / "run"), {}
    for name, (_, reason, _) in FILES.items():
        outcome = folder.outcomes.get((name, 0))
        if name in found["unusable"]:
            became[name] = UNUSABLE
            assert reason in found["unusable"][name]
        elif outcome and outcome.verdict:
            became[name] = SCORED if outcome.verdict.accepted else "rejected"
        else:
            became[name] = NO_ANSWER
            assert outcome
            assert reason in (outcome.error or "")
    assert became == {name: what for name, (what, _, _) in FILES.items()}


@pytest.mark.slow
def test_the_first_thing_that_a_reader_tries(tmp_path: Path):
    found = evaluated("synth:1", "--count", 2, *COMPOSER, "--out", tmp_path / "run")
    assert found["metrics"]["pass@1"]["value"] == 1.0
    done = run("report", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    files = {Path(each).name for each in json.loads(done.stdout)["files"]}
    assert {"report.html", "report.md"} <= files


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no such file or folder"),
        (["synth:1", "--part", "3/2"], "expected I/N with I from 1 to N"),
        (["synth:1", "--merge", "nowhere"], "nowhere: no run of `tritonrl eval`"),
    ],
)
def test_a_wrong_question_is_one_line_and_nothing_is_written(
    tmp_path: Path, arguments: list[str], message: str
):
    done = run("eval", *arguments, "--count", 1, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("synth:x", "expected levels, as in synth:1"),
        ("synth:99", "level 99 is not between 1 and 64"),
        ("modules:7", "expected modules, modules:1, modules:2 or modules:3"),
    ],
)
def test_a_suite_that_is_none_says_what_would_be_one(name: str, message: str):
    with pytest.raises(UserError, match=message):
        suite(name, 1)


def test_a_model_that_is_none_says_what_would_be_one(tmp_path: Path):
    with pytest.raises(UserError, match="unknown model 'oracle'; known: composer"):
        model("oracle")
    with pytest.raises(UserError, match=r"nowhere\.jsonl: cannot be read"):
        model("file:nowhere.jsonl")
    (tmp_path / "answers.jsonl").write_text('{"task": "a", "text": "x"}\n{"task": "a"}\n')
    with pytest.raises(UserError, match=r"answers\.jsonl:2: no completion; expected task, text"):
        model(f"file:{tmp_path}/answers.jsonl")


def test_two_tasks_of_one_name_are_refused(programs: Path, tmp_path: Path):
    twice = tmp_path / "twice.jsonl"
    twice.write_text(programs.read_text() * 2)
    with pytest.raises(UserError, match="two tasks are called 'task-0'"):
        suite(str(twice))


def test_suites_have_stable_parts():
    whole = [each.id for each in suite("modules:3")]
    assert len(whole) == 10
    parts = [[each.id for each in suite("modules:3", part=(number, 3))] for number in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(whole)
    assert [each.id for each in suite("modules:3", 4)] == whole[:4]
    assert [each.id for each in suite("synth:1,2", 2)] == [each.id for each in suite("synth:1,2", 2)]
    assert [each.task.level for each in suite("synth:1,2", 2) if each.task] == [1, 2, 1, 2]


@pytest.mark.slow
def test_a_search_is_killed_and_goes_on(programs: Path, tmp_path: Path):
    """Kernels that were found before are taken from the library."""
    library = tmp_path / "kernels.sqlite"
    places = ["--library", library, "--out", tmp_path / "run"]
    more = ["--search", "fragments", "--policy", "hybrid", *places, *COMPOSER]
    command = [str(each) for each in (TRITONRL, "eval", programs, *more)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as broken:
        deadline = time.monotonic() + SECONDS
        while not library.exists() or not Library(library).entries():
            assert broken.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        broken.send_signal(signal.SIGKILL)
    found = evaluated(programs, *more)
    assert found["metrics"]["pass@1"]["value"] == 1.0
    kept = Library(library).entries()
    assert {op for each in kept for op in each.ops} >= {"relu", "exp", "sum", "mul"}


def test_a_search_needs_a_name_and_a_budget_a_search(programs: Path):
    for arguments, words in (
        (["--search", "everywhere"], "unknown search 'everywhere'; known: best-of-n, fragments"),
        (["--budget", "12s"], "--budget is for --search"),
        (["--search", "fragments", "--budget", "soon"], "expected a time such as 90s"),
    ):
        done = run("eval", programs, *arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert words in done.stderr
