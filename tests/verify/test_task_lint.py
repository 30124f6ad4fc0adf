"""Task lint: exams tell right from wrong, and a task whose exam cannot is called weak."""

import re
import sys
from pathlib import Path

import pytest

from tests.program.modules import EXAMPLES
from tritonrl.synth import Config, rows
from tritonrl.tasks import Task
from tritonrl.verify import Settings, Zygotes, verify
from tritonrl.verify.oracle import author
from tritonrl.verify.oracle import lint as lint_module
from tritonrl.verify.oracle.lint import TaskLint
from tritonrl.verify.oracle.many import keeping_sound_tasks, lint_task, lint_tasks
from tritonrl.verify.oracle.worker import Worker

MODULES = Path(__file__).parent.parent / "program" / "modules.py"
DEGENERATE = """
import torch

def get_inputs():
    return [torch.randn(6, 40)]

def fused_operator(tensor_0):
    return [torch.softmax(tensor_0, dim=1).sum(dim=1)]
"""
NEEDLESS = DEGENERATE.replace(
    "torch.softmax(tensor_0, dim=1).sum(dim=1)", "torch.relu(torch.sigmoid(tensor_0))"
)
"""A relu of what is positive."""
HIDDEN = """
import torch

def get_inputs():
    return [torch.rand(8, 30) + 1.0]

def fused_operator(tensor_0):
    return [tensor_0 / (tensor_0.sum(dim=1, keepdim=True) + 1e-6)]
"""


HONEST = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    x = tl.load(x_ptr + row + i, i < n, other=0.0)
    tl.store(o_ptr + row + i, x / (tl.sum(x, 0) + 1e-6), i < n)


def triton_fused_operator(x):
    out = torch.empty_like(x)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=32)
    return [out]
"""


def functional(source: str, name: str = "task") -> Task:
    return Task.functional(name, source)


def survivors(lint: TaskLint) -> list[tuple[str, str]]:
    return [(mutant.operator, mutant.mistake) for mutant in lint.mutants if mutant.status == "survived"]


def test_a_sound_task_kills_every_mutant(zygotes: Zygotes):
    source = DEGENERATE.replace(".sum(dim=1)", "")
    lint = lint_task(zygotes, functional(source))
    assert not lint.weak
    assert lint.count("killed") == len(lint.mutants) > 10


def test_the_sum_of_a_softmax_tells_nothing_about_the_softmax(zygotes: Zygotes):
    lint = lint_task(zygotes, functional(DEGENERATE))
    same = [mutant for mutant in lint.mutants if mutant.status == "equivalent"]
    assert any(mutant.operator.startswith("_softmax") for mutant in same)
    # Nothing but ones comes out, whatever goes in: a constant is as good as the program.
    assert any(mutant.mistake == "gives the mean" for mutant in same)


def test_a_mistake_below_the_tolerance_makes_a_task_weak_and_verify_says_so(zygotes: Zygotes):
    lint = lint_task(zygotes, functional(HIDDEN))
    assert lint.weak
    assert {operator for operator, _ in survivors(lint)} == {"add 1"}  # what it adds is too small to be seen
    verdict = verify(functional(HIDDEN), HONEST, Settings(), zygotes=zygotes)
    assert verdict.accepted
    assert [(f.rule, f.severity) for f in verdict.findings] == [("task.weak", "warning")]


def test_empty_tensors_beside_others_stand_in_no_way(zygotes: Zygotes):
    source = HIDDEN.replace(" + 1.0]", " + 1.0, torch.rand(0, 30)]").replace(
        "(tensor_0):", "(tensor_0, none):"
    )
    task = functional(source.replace(" + 1e-6)]", " + 1e-6), none]"))
    lint = lint_task(zygotes, task)
    assert [mutant.status for mutant in lint.mutants if "the last" in mutant.mistake][:2] == ["killed"] * 2
    candidate = HONEST.replace("(x):", "(x, y):").replace("[out]", "[out, torch.empty_like(y)]")
    verdict = verify(task, candidate, Settings(lint_seconds=0), zygotes=zygotes)
    assert verdict.accepted, verdict.rejection


DECISIONS = {
    "a branch": ("torch.randn(31, 70), torch.randn(31, 70)", "torch.where(a > 0, a, b * 0.1)"),
    "of few elements": ("torch.randn(2, 4), torch.randn(2, 4)", "torch.where(a <= 0, a, b * 0.1)"),
    "of one row": ("torch.randn(7), torch.randn(7)", "torch.where(a < 0, a, b * 0.1)"),
    "between inputs": ("torch.randn(9, 20), torch.randn(20)", "torch.where(a >= b, a + 1, b)"),
    "where one must not be zero": ("torch.randn(9, 20), torch.rand(9, 20)", "torch.where(a > 0, a, b.log())"),
    "beside what outgrows it": ("torch.randn(9, 20), torch.randn(9, 20)", "torch.where(a > 0, a.exp(), b)"),
    "equality": ("torch.randn(9, 20), torch.randn(9, 20)", "torch.where(a == b, 1.0, a)"),
    "the largest of a row": ("torch.randn(9, 20), torch.randn(1)", "(a + 0 * b).argmax(1)"),
    "the smallest of a column": ("torch.randn(9, 20), torch.randn(1)", "(a + 0 * b).argmin(0)"),
    "the largest along the middle": ("torch.randn(3, 9, 20), torch.randn(1)", "(a + 0 * b).argmax(1)"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_who_decides_a_tie_otherwise_is_caught_whatever_is_drawn(name: str, zygotes: Zygotes):
    inputs, result = DECISIONS[name]
    source = (
        f"import torch\n\n\ndef get_inputs():\n    return [{inputs}]\n\n\n"
        f"def fused_operator(a, b):\n    return [{result}]\n"
    )
    for seed in range(3):
        lint = lint_task(zygotes, functional(source), seed=seed)
        kinds = {"decides a tie the other way", "takes no two for equal", "takes the last of several"}
        (decision,) = [mutant for mutant in lint.mutants if mutant.mistake in kinds]
        assert (decision.status, decision.killed_by) == ("killed", "zeros")


@pytest.mark.parametrize("name", ["a branch", "the largest of a row"])
def test_ties_are_asked_about_where_inputs_are_too_large_for_every_kind_of_question(
    name: str, zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(author, "HUGE_BYTES", -1)
    monkeypatch.setattr(author, "LARGE_BYTES", -1)
    test_who_decides_a_tie_otherwise_is_caught_whatever_is_drawn(name, zygotes)


def test_no_answer_is_looked_for_where_inputs_tell_nobody_apart(
    zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    asked = []
    expect = Worker.expect
    monkeypatch.setattr(Worker, "expect", lambda *given, **how: asked.append(1) or expect(*given, **how))
    lint = lint_task(zygotes, functional(NEEDLESS), seed=1)
    assert lint.count("equivalent") > 0
    assert lint.num_draws == len(asked)


def test_of_large_tensors_one_round_is_asked_where_it_tells_nobody_apart(
    zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    asked: list[bool] = []
    tells = Worker.tells
    monkeypatch.setattr(Worker, "tells", lambda *given: asked.append(tells(*given)) or asked[-1])
    lint_task(zygotes, functional(NEEDLESS), seed=1)
    of_small = len(asked)
    monkeypatch.setattr(lint_module, "MOST_AT_FIRST", 2)
    lint_task(zygotes, functional(NEEDLESS), seed=1)
    assert not any(asked)
    assert len(asked) - of_small == of_small / 2


def test_a_tie_that_rounding_decides_does_not_make_a_task_weak(zygotes: Zygotes):
    source = DEGENERATE.replace(
        "[torch.softmax(tensor_0, dim=1).sum(dim=1)]",
        "[torch.where(torch.softmax(tensor_0, dim=1) > 0.025, tensor_0, 2 * tensor_0 + 1)]",
    )
    lint = lint_task(zygotes, functional(source), seed=1)
    assert [m.status for m in lint.mutants if m.mistake == "decides a tie the other way"] != ["survived"]
    assert not lint.weak


def test_the_same_seed_gives_the_same_lint(zygotes: Zygotes):
    assert lint_task(zygotes, functional(HIDDEN), seed=3) == lint_task(zygotes, functional(HIDDEN), seed=3)


@pytest.mark.parametrize("source", [DEGENERATE, HIDDEN, DEGENERATE.replace(".sum(dim=1)", "")])
def test_a_glance_at_some_elements_finds_what_all_of_them_show(
    source: str, zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch
):
    whole = lint_task(zygotes, functional(source), seed=3)
    asked: list[int] = []
    mutate = Worker.mutate
    monkeypatch.setattr(Worker, "mutate", lambda *given: asked.append(given[-1]) or mutate(*given))
    monkeypatch.setattr(lint_module, "MOST_AT_FIRST", 2)
    assert lint_task(zygotes, functional(source), seed=3) == whole
    assert 2 in asked
    assert sys.maxsize in asked


def test_synth_with_lint_drops_weak_tasks_and_is_reproducible():
    config = Config(level=2, seed=5, ops=("batch_norm", "relu", "softmax"))
    with keeping_sound_tasks() as keep:
        judged: list[bool] = []

        def watched(row: dict) -> bool:
            judged.append(keep(row))
            return judged[-1]

        kept = list(rows(config, 6, keep=watched))
        assert all(keep(row) for row in kept)
        assert kept == list(rows(config, 6, keep=keep))
    assert not all(judged), "nothing was weak, so nothing was shown"
    assert len({row["id"] for row in kept}) == 6


@pytest.mark.slow
def test_mutation_score_over_synthesised_tasks():
    """A part of what `benchmarks/mutation.py` measures."""
    tasks = [
        functional(row["source"], row["id"])
        for level in (1, 2, 3, 5, 10)
        for row in rows(Config(level=level, seed=11), 4)
    ]
    lints = list(lint_tasks(tasks))
    mutants = [mutant for lint in lints for mutant in lint.mutants]
    assert len(lints) == 20
    assert len(mutants) > 400
    # What survives makes its task weak, and `synth --lint` drops that: few, or the draws are not strong.
    assert sum(lint.weak for lint in lints) <= 2
    assert sum(mutant.status == "survived" for mutant in mutants) < 0.01 * len(mutants)
    assert not [mutant for mutant in mutants if mutant.status == "untried"]


def module_task(name: str) -> Task:
    """One of the foundation's modules as a task: its inputs drawn anew each time."""
    text = re.sub(r"torch\.Generator\(\)\.manual_seed\(\d+\)", "torch.default_generator", MODULES.read_text())
    source = f"""{text}

_EXAMPLE = next(example for example in EXAMPLES if example.name == {name!r})


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = _EXAMPLE.build()
        self.train(self.inner.training)

    def forward(self, *inputs):
        return self.inner(*inputs)


def get_inputs():
    return list(_EXAMPLE.inputs())
"""
    return Task(id=name, kind="kernelbench", source=source, entry="Model", init_style="none")


@pytest.mark.slow
def test_mutation_score_over_the_modules_of_the_foundation():
    names = [example.name for example in EXAMPLES][::12]
    names = list(dict.fromkeys([*names, "mlp_dropout_train", "attention_dropout_train"]))
    lints = {lint.task: lint for lint in lint_tasks(map(module_task, names))}
    assert list(lints) == names
    refused = {name for name, lint in lints.items() if lint.error}
    assert refused == {"mlp_dropout_train", "attention_dropout_train"}, "a random module has no right answer"
    weak = {name: survivors(lint) for name, lint in lints.items() if lint.weak}
    assert len(weak) <= 2, weak
