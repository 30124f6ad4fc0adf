"""A model that knows programs alone is asked with a task's program, and its answer becomes the task's."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.policy import tiny
from tritonrl.errors import UserError
from tritonrl.policy.local import Folder, LocalPolicy
from tritonrl.policy.programs import Question
from tritonrl.program import Program, emit
from tritonrl.program.capture import capture_function
from tritonrl.tasks import Task
from tritonrl.teach.composer import compose
from tritonrl.verify import Completion, Settings, Zygotes, verify
from tritonrl.verify.capturing import Captured

SHAPE = (5, 12)
MODULE = f"""import torch
from torch import nn


class Rectify(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn{SHAPE}]
"""
QUICK = Settings(num_calls=3, lint_seconds=0)


@pytest.fixture(scope="module")
def program() -> Program:
    return capture_function(torch.relu, [torch.randn(SHAPE)]).program


@pytest.fixture(scope="module")
def answer(program: Program) -> str:
    return compose(program)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, program: Program, answer: str) -> Path:
    return tiny.make_program_model(tmp_path_factory.mktemp("knows-one"), program, answer)


def functional(program: Program) -> Task:
    return Task.functional("relu", emit(program), program=program.to_json())


def module(source: str = MODULE) -> Task:
    return Task(id="net", kind="module", source=source, entry="Rectify", init_style="none")


def local(path: Path, zygotes: Zygotes | None = None) -> LocalPolicy:
    return LocalPolicy(Folder.at(str(path)), zygotes=zygotes)


def test_a_functional_task_is_answered_as_it_was_learned(model: Path, program: Program, answer: str):
    heard: list[str] = []
    (given,) = local(model).propose(functional(program), [0], lambda sample, piece: heard.append(piece))
    assert given.text == answer == "".join(heard)
    assert given.ops == ("relu",)
    assert len(heard) > 20


def test_a_module_is_answered_with_the_same_kernels_and_accepted(model: Path, answer: str, zygotes: Zygotes):
    heard: list[str] = []
    (given,) = local(model, zygotes).propose(module(), [0], lambda sample, piece: heard.append(piece))
    assert "".join(heard) == answer, "what is heard is the model's own"
    assert given.text
    assert given.ops == ("relu",)
    completion = Completion.parse(given.text)
    assert completion.plan == Completion.parse(answer).plan
    assert completion.code
    assert "class ModelNew" in completion.code
    verdict = verify(module(), completion, QUICK, zygotes=zygotes)
    assert verdict.accepted, verdict.findings


@pytest.mark.parametrize(
    ("change", "reason", "blames_task"),
    [
        (("relu(x)", "lgamma(x)"), "a task that calls torch.ops.aten.lgamma", False),
        (("relu(x)", "relu_(x)"), "a task that changes its inputs in place", False),
        (("relu(x)", "dropout(x, 0.5, True)"), "is random", True),
        (("relu(x)", "relu(x) if x.sum() > 0 else x"), "captured", True),
    ],
    ids=["in no table", "in place", "random", "not captured"],
)
def test_what_no_program_says_is_an_error_of_each_sample(
    model: Path, zygotes: Zygotes, change: tuple[str, str], reason: str, blames_task: bool
):
    given = list(local(model, zygotes).propose(module(MODULE.replace(*change)), [0, 1]))
    assert [each.sample for each in given] == [0, 1]
    assert all(each.text is None and reason in (each.error or "") for each in given)
    assert {each.blames_task for each in given} == {blames_task}


def test_answers_without_code_or_plan_stay_what_they_are(program: Program):
    captured = Captured(
        program=program, sources=(("input", "args[0]"),), returned="outputs[0]", updates=(), random=()
    )
    question = Question(module(), program, captured)
    cut_off = "<think>\nOne row a program.\n</think>\n```python\nimport tor"
    assert question.answer(cut_off) == cut_off
    planless = Completion.parse(question.answer("```python\nx = 1\n```\n"))
    assert planless.plan is None
    assert planless.code
    assert planless.code.endswith("\n\n\nx = 1\n")


def test_an_unknown_way_to_ask_is_the_users_error(model: Path, tmp_path: Path):
    other = shutil.copytree(model, tmp_path / "other")
    config: dict[str, Any] = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"tritonrl": {"asks": "poem"}}))
    with pytest.raises(UserError, match="asks 'poem'"):
        Folder.at(str(other))
