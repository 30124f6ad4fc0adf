"""`tritonrl optimize`: a file becomes a drop-in that is verified whole, or nothing is written but why."""

import ast
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests import command
from tests.search.ten_modules import HEAD, SOURCES, compare
from tritonrl.policy import Policy, Proposal, unheard
from tritonrl.policy.programs import Questions
from tritonrl.search.drop_in import drop_in
from tritonrl.search.found import Candidate, Found
from tritonrl.search.live import view
from tritonrl.search.proof import document, outcome, sheet
from tritonrl.search.run import Runner
from tritonrl.search.strategies import STRATEGIES, Search
from tritonrl.tasks import Task, load_task
from tritonrl.teach.composer.policy import ComposerPolicy
from tritonrl.verify import Judged, Settings, Zygotes
from tritonrl.verify.completion import Completion
from tritonrl.verify.pool import Hands, judging
from tritonrl.verify.verdict import Layer

QUICK = Settings(num_calls=1, lint_seconds=0, policy="hybrid")
NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.relu(self.up(self.norm(x)))


def get_inputs():
    return [torch.randn(5, 12)]
"""
UNKNOWN = """import torch
from torch import nn


class Unknown(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.lgamma(torch.erfinv(x))


def get_inputs():
    return [torch.rand(5, 12)]
"""
DOUBLE = (
    "import torch\n\n\ndef get_inputs():\n    return [torch.randn(40)]\n\n\n"
    "def fused_operator(tensor_0):\n    return [tensor_0 * 2]\n"
)
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < 40) * {factor}, at < 40)


def triton_fused_operator(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, BLOCK=64)
    return [out]
"""


class Scripted:
    """A policy that gives these answers."""

    scope = "what it was told"

    def __init__(self, *answers: str | None) -> None:
        self.answers = answers

    def note(self, task: Task) -> str | None:
        return None

    def propose(self, task: Task, samples, hear=unheard):
        for sample in samples:
            answer = self.answers[sample]
            for word in (answer or "").split(" "):
                hear(sample, f"{word} ")
            yield Proposal(sample, answer, None if answer else "no idea")


def best_of_n(found: Found, policy: Policy, samples: int, zygotes: Zygotes, *, listens: bool = False) -> None:
    runner = Runner(policy)
    search = Search(found, policy, samples, Questions(zygotes))
    with judging(found.settings, zygotes=zygotes, tell=runner.tell) as hands:
        ended = list(runner.run([(search, STRATEGIES["best-of-n"])], hands, listens=listens))
    assert ended == [search]


@pytest.fixture(scope="module")
def found(zygotes: Zygotes) -> Found:
    """Of four candidates one is wrong, one is no answer, two are right."""
    answers = [KERNEL.format(factor="3"), None, KERNEL.format(factor="2"), KERNEL.format(factor="2.0")]
    made = Found(Task.functional("double", DOUBLE), QUICK)
    best_of_n(made, Scripted(*answers), 4, zygotes, listens=True)
    return made


def test_without_a_gpu_nobody_is_asked_for_more_than_the_first_that_is_accepted(zygotes: Zygotes):
    made = Found(Task.functional("double", DOUBLE), QUICK)
    best_of_n(made, Scripted(KERNEL.format(factor="2")), 4, zygotes)
    assert [each.is_accepted for each in made.candidates] == [True]


def test_without_a_gpu_the_likeliest_accepted_one_is_kept(found: Found):
    assert [each.is_accepted for each in found.candidates] == [False, False, True, True]
    assert found.best is found.candidates[2]
    assert found.candidates[1].error == "no idea"


class Doubting:
    """Hands that are those of others, but for the first files, which they reject."""

    def __init__(self, hands: Hands, num_rejected: int) -> None:
        self._hands, self._left = hands, num_rejected

    def submit(self, number: int, task: Task, candidate: Completion, settings: Settings | None = None):
        wrong = (
            candidate if self._left <= 0 else Completion.of_code(str(candidate.code).replace("* 2", "* 3"))
        )
        self._left -= 1
        return self._hands.submit(number, task, wrong, settings)


@pytest.mark.parametrize("num_rejected", [1, 2])
def test_a_file_that_is_not_accepted_makes_room_for_the_next(
    found: Found, zygotes: Zygotes, num_rejected: int
):
    own = replace(found, candidates=[replace(each) for each in found.candidates])
    accepted = own.accepted
    with judging(QUICK, zygotes=zygotes) as hands:
        text = drop_in(own, Doubting(hands, num_rejected), zygotes, "scripted")
    left = accepted[num_rejected:]
    assert (own.accepted, text is None) == (left, not left)
    last = accepted[num_rejected - 1]
    assert f"the file of candidate {last.sample} is not accepted: " in str(own.reason)


def test_the_drop_in_is_verified_whole_and_told_of(found: Found, zygotes: Zygotes):
    with judging(QUICK, zygotes=zygotes) as hands:
        text = drop_in(found, hands, zygotes, "scripted")
    assert text
    assert found.best
    assert found.best.whole
    assert found.best.whole.accepted
    names: dict[str, Any] = {}
    exec(text.partition("@triton.jit")[0], names)  # as far as it needs no interpreter
    facts = document(found, model="scripted", search="best-of-n", out="double.triton.py")
    assert (facts["num_candidates"], facts["num_accepted"], facts["best"]) == (4, 2, 2)
    assert facts["candidates"][0]["verdict"]["accepted"] is False
    page = sheet(found, model="scripted")
    assert "Candidate 2 is kept: speed not measured; 2 of 4 candidates accepted." in page
    assert "| 0 | rejected | – | correct: " in page
    assert "| 1 | none | – | no idea |" in page


def test_layers_are_told_of_as_they_are_passed(found: Found):
    for each in found.candidates:
        if each.verdict:
            run = [layer for layer in each.verdict.layers if layer.status != "skip"]
            assert each.layers == run


def seen(found: Found) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(view(found))
    return console.export_text()


def test_a_person_sees_plans_layers_and_the_best(found: Found):
    now = seen(found)
    assert "double: 4 candidates written, 2 accepted" in now
    assert "1          " in now
    assert "no idea" in now
    assert "correct ✗" in now
    begun = Found(found.task, found.settings)
    assert seen(begun) == "double: asking\n"
    begun.writing[0] = "<think>\nOne row a program"
    told = Proposal(1, "<think>\nAll at once.\n</think>\n")
    begun.candidates.append(Candidate(found.task, found.settings, 1, told))
    begun.candidates[0].layers.append(Layer(name="parse", status="pass", seconds=0.0))
    now = seen(begun)
    assert "1 candidates written, 0 accepted" in now
    assert "All at once." in now
    assert "parse ✓ …" in now
    assert now.endswith("candidate 0 is being written\n<think>\nOne row a program\n")


class Interrupted(Scripted):
    """Somebody presses Ctrl-C while the second answer is written."""

    def propose(self, task: Task, samples, hear=unheard):
        yield Proposal(0, self.answers[0])
        hear(1, "<think>")
        raise KeyboardInterrupt


def test_an_interrupt_leaves_what_was_found(zygotes: Zygotes):
    made = Found(Task.functional("double", DOUBLE), QUICK)
    best_of_n(made, Interrupted(KERNEL.format(factor="2")), 4, zygotes)
    assert made.interrupted
    assert [each.sample for each in made.candidates] == [0]
    assert made.best is made.candidates[0]
    assert "interrupted" in outcome(made)


def timed(sample: int, speedup: float | None, accepted: bool = True) -> Candidate:
    from tests.evaluate.made_up import verdict

    task = Task.functional("double", DOUBLE)
    made = verdict("double", correct=accepted).model_copy(update={"speedup": speedup})
    judged = Judged(sample, task, made)
    return Candidate(task, Settings(), sample, Proposal(sample, "x = 1"), judged=judged)


@pytest.mark.parametrize(
    ("candidates", "best", "words"),
    [
        ([(0.9, True), (1.5, True), (1.2, True)], 1, "Candidate 1 is kept: 1.50× as fast as PyTorch"),
        ([(0.9, True), (None, True)], None, "Nothing faster than PyTorch was found: 2 of 2 candidates"),
        ([(9.0, False)], None, "Nothing was accepted, of 1 candidates."),
        ([], None, "Nothing was accepted, of 0 candidates."),
    ],
)
def test_where_speed_is_measured_only_what_is_faster_is_kept(candidates: list, best: int | None, words: str):
    settings = Settings(device="cuda", timing=True)
    made = [timed(number, *each) for number, each in enumerate(candidates)]
    found = Found(Task.functional("double", DOUBLE), settings, made)
    assert found.best is (None if best is None else made[best])
    assert outcome(found).startswith(words)


def run(*arguments: object) -> command.Done:
    return command.run("optimize", *arguments)


@pytest.mark.slow
def test_a_module_becomes_a_drop_in(tmp_path: Path):
    (tmp_path / "net.py").write_text(NET)
    done = run(tmp_path / "net.py", "--samples", 2, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["out"] == str(tmp_path / "net.triton.py")
    assert {Path(each).name for each in facts["proof"]} == {"net.triton.json", "net.triton.md"}
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "net.py", "net.triton.json", "net.triton.md", "net.triton.py",
    ]  # fmt: skip
    check = (
        "import importlib.util, sys, torch\n"
        "def load(path):\n"
        "    spec = importlib.util.spec_from_file_location('m', path)\n"
        "    module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); return module\n"
        f"old, new = (load(f'{tmp_path}/net{{each}}.py').Net() for each in ('', '.triton'))\n"
        "new.load_state_dict(old.state_dict(), strict=True)\n"
        "x = torch.randn(5, 12)\n"
        "with torch.no_grad():\n"
        "    assert torch.allclose(new(x), old(x), atol=1e-5), (new(x), old(x))\n"
        "    assert torch.equal(new(x[:3]), old(x[:3]))\n"
        "assert not any(name.startswith('tritonrl') for name in sys.modules)\n"
    )
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": ""}
    subprocess.run([sys.executable, "-c", check], env=environment, check=True, timeout=120)


@pytest.mark.slow
def test_drop_ins_of_ten_modules_take_trained_weights_and_need_only_torch_and_triton(
    zygotes: Zygotes, tmp_path: Path
):
    for name, source in SOURCES.items():
        (tmp_path / f"{name}.py").write_text(HEAD + source)
        made = Found(load_task(str(tmp_path / f"{name}.py")), QUICK)
        best_of_n(made, ComposerPolicy(0, zygotes), 1, zygotes)
        with judging(QUICK, zygotes=zygotes) as hands:
            text = drop_in(made, hands, zygotes, "composer")
        assert text is not None, (name, outcome(made))
        (tmp_path / f"{name}.triton.py").write_text(text)
        assert imported(text) - sys.stdlib_module_names == {"torch", "triton"}
    compare(tmp_path, *SOURCES)


def imported(text: str) -> set[str]:
    """Packages that a file imports."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        (
            NET.replace("torch.relu(", "torch.dropout(").replace("norm(x)))", "norm(x)), 0.5, True)"),
            2,
            "random",
        ),
        (UNKNOWN, 1, "no operator that is in the table"),
        (NET.replace("return x +", "raise ValueError('not today')\n        return x +"), 2, "not today"),
        (NET.replace("return x +", "x = x if x.sum() > 0 else -x\n        return x +"), 2, "captured"),
    ],
    ids=["random", "an operator that it does not know", "it raises", "its path depends on data"],
)
def test_a_file_that_it_can_do_nothing_for_is_said_to_be_one(
    tmp_path: Path, source: str, code: int, message: str
):
    (tmp_path / "net.py").write_text(source)
    done = run(tmp_path / "net.py", "--samples", 1)
    assert done.returncode == code
    assert not (tmp_path / "net.triton.py").exists()
    told = done.stderr + "".join(each.read_text() for each in tmp_path.glob("*.md"))
    assert message in told
    if code == 2:
        assert done.stderr.count("\n") == 1
        assert [each.name for each in tmp_path.iterdir()] == ["net.py"]


def test_a_wrong_question_is_one_line(tmp_path: Path):
    (tmp_path / "two.py").write_text(NET + NET.replace("class Net", "class Other"))
    for arguments, message in (
        ([tmp_path / "two.py"], "two.py"),
        ([tmp_path / "two.py:Net", "--model", "oracle"], "unknown model 'oracle'; known: composer"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
