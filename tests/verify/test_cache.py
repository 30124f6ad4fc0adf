"""The verdict cache: the same question is answered once, another one never with its answer."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tritonrl.errors import UserError
from tritonrl.tasks import Task
from tritonrl.verify import cache as module
from tritonrl.verify.cache import PASSING_RULES, VerdictCache, default_folder
from tritonrl.verify.completion import Completion
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import Finding, Verdict

TASK = Task.functional("t", "x = 1\n")
CODE = "def f(x):\n    return x + 1\n"
ANSWER = Completion.of_code(CODE)


def verdict(*findings: Finding) -> Verdict:
    return Verdict(
        task="t", device="cpu", policy="full", precision="ieee", target="sm_90", valid=True, compiled=True,
        correct=not findings, findings=findings, layers=(), num_draws=5, num_calls=30, weights_replaced=None,
        sandbox=None, versions={}, seconds=1.0,
    )  # fmt: skip


WRONG = verdict(Finding(layer="correct", rule="E3", message="no bias", line=2))


@pytest.fixture
def kept(tmp_path: Path) -> VerdictCache:
    return VerdictCache(tmp_path / "verdicts")


def files(cache: VerdictCache) -> list[Path]:
    return [path for path in cache.folder.rglob("*") if path.is_file()]


def test_what_was_put_is_found_and_says_that_it_was_cached(kept: VerdictCache):
    assert kept.get(TASK, ANSWER, Settings()) is None
    kept.put(TASK, ANSWER, Settings(), WRONG)
    found = kept.get(TASK, ANSWER, Settings())
    assert found == WRONG.model_copy(update={"cached": True})


def test_another_process_finds_it(kept: VerdictCache):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    assert VerdictCache(kept.folder).get(TASK, ANSWER, Settings()) is not None


@pytest.mark.parametrize(
    "settings",
    [
        Settings(precision="tf32"),
        Settings(policy="hybrid"),
        Settings(target="sm_80"),
        Settings(num_calls=31),
        Settings(skip_layers=("lint",)),
        Settings(needs_plan=True),
        Settings(call_seconds=1.0),
    ],
)
def test_other_settings_are_another_question(kept: VerdictCache, settings: Settings):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    assert kept.get(TASK, ANSWER, settings) is None


@pytest.mark.parametrize(
    "change", [{"source": "x = 2\n"}, {"entry": "other"}, {"kind": "module"}, {"init_style": "args"}]
)
def test_another_task_is_another_question(kept: VerdictCache, change: dict[str, Any]):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    assert kept.get(TASK.model_copy(update=change), ANSWER, Settings()) is None


def test_the_same_task_under_another_name_is_the_same_question(kept: VerdictCache):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    found = kept.get(TASK.model_copy(update={"id": "renamed", "path": "/elsewhere.py"}), ANSWER, Settings())
    assert found is not None
    assert found.task == "renamed"


@pytest.mark.parametrize("name", ["tritonrl", "torch", "triton"])
def test_another_version_is_another_question(kept: VerdictCache, name: str, monkeypatch: pytest.MonkeyPatch):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    now = module.versions()
    monkeypatch.setattr(module, "versions", lambda: now | {name: "0.0"})
    assert kept.get(TASK, ANSWER, Settings()) is None


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return 1 + x\n",
        "def g(x):\n    return x + 1\n",
        "def f(x):\n    return x + 1.0\n",
        "def f(x):\n    'doc'\n    return x + 1\n",
    ],
)
def test_other_code_is_another_question(kept: VerdictCache, code: str):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    assert kept.get(TASK, Completion.of_code(code), Settings()) is None


@pytest.mark.parametrize(
    "code",
    ["# a comment\ndef f(x):\n    return x + 1\n", "def f( x ):\n\n  return (x+1)", "def f(x): return x + 1"],
)
def test_the_same_code_laid_out_otherwise_is_found_without_lines(kept: VerdictCache, code: str):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    found = kept.get(TASK, Completion.of_code(code), Settings())
    assert found is not None
    assert [finding.line for finding in found.findings] == [None]
    assert [finding.rule for finding in found.findings] == ["E3"]


def test_a_plan_is_part_of_the_question_and_its_words_are_not(kept: VerdictCache):
    def planned(plan: str | None) -> Completion:
        return Completion(text="", plan=plan, code=CODE)

    kept.put(TASK, planned("rows"), Settings(), WRONG)
    assert kept.get(TASK, planned("columns"), Settings()) is not None
    assert kept.get(TASK, planned(None), Settings()) is None


@pytest.mark.parametrize("code", [None, "", "x = (", "\0", "x = '\ud800'", "x = 1" + "+1" * 100_000])
def test_an_answer_that_is_not_python_is_kept_as_it_is(kept: VerdictCache, code: str | None):
    answer = Completion(text="", plan=None, code=code)
    kept.put(TASK, answer, Settings(), WRONG)
    assert kept.get(TASK, answer, Settings()) is not None
    assert kept.get(TASK, Completion.of_code("x = "), Settings()) is None


@pytest.mark.parametrize("rule", PASSING_RULES)
def test_what_the_load_of_the_machine_decides_is_not_kept(kept: VerdictCache, rule: str):
    kept.put(TASK, ANSWER, Settings(), verdict(Finding(layer="correct", rule=rule, message="")))
    assert files(kept) == []


def test_timeouts_memory_and_crashes_are_what_passes():
    assert set(PASSING_RULES) >= {"timeout", "memory", "crash"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"{}",
        b'{"verdict": {}}',
        b'{"verdict": {"task": 1}}',
        b"[]",
        b"null",
        b'{"verdict": null}',
        b"[" * 100_000,
    ],
    ids=[
        "empty",
        "half",
        "no text",
        "no verdict",
        "no keys",
        "wrong keys",
        "list",
        "null",
        "null verdict",
        "nesting",
    ],
)
def test_a_file_that_is_torn_is_as_good_as_none(kept: VerdictCache, content: bytes):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    (path,) = files(kept)
    path.write_bytes(content)
    assert kept.get(TASK, ANSWER, Settings()) is None
    kept.put(TASK, ANSWER, Settings(), WRONG)
    assert kept.get(TASK, ANSWER, Settings()) is not None


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_was_cut_short_is_as_good_as_none(kept: VerdictCache, share: float):
    kept.put(TASK, ANSWER, Settings(), WRONG)
    (path,) = files(kept)
    text = path.read_bytes()
    path.write_bytes(text[: int(len(text) * share)])
    assert kept.get(TASK, ANSWER, Settings()) is None


def test_writing_leaves_one_whole_file_and_nothing_beside_it(kept: VerdictCache):
    for _ in range(3):
        kept.put(TASK, ANSWER, Settings(), WRONG)
    (path,) = files(kept)
    assert path.suffix == ".json"
    assert json.loads(path.read_text())["verdict"]["task"] == "t"


def test_a_folder_that_cannot_be_made_is_a_user_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot keep verdicts there"):
        VerdictCache(tmp_path / "file" / "verdicts")


def test_the_default_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "tritonrl" / "verdicts"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "tritonrl" / "verdicts"
    assert not os.path.exists(default_folder())
