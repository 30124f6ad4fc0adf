"""Modules of many operators: fragments become Triton, the rest stays PyTorch, and the whole is verified."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.command import TRITONRL, run
from tests.search.ten_modules import HEAD, compare
from tritonrl.policy.programs import Questions
from tritonrl.search import proof
from tritonrl.search.drop_in import drop_in
from tritonrl.search.found import Found
from tritonrl.search.library import Library
from tritonrl.search.run import Runner
from tritonrl.search.strategies import STRATEGIES, Search
from tritonrl.tasks import load_task
from tritonrl.teach.composer.policy import ComposerPolicy
from tritonrl.verify import Settings, Zygotes
from tritonrl.verify.pool import judging

QUICK = Settings(num_calls=1, lint_seconds=0, policy="hybrid")
TEN = '''class Net(nn.Module):
    """Ten operators."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.up = nn.Linear(16, 24)
        self.down = nn.Linear(24, 16)
        self.scale = nn.Parameter(torch.rand(16))

    def forward(self, x):
        hidden = F.silu(self.up(self.norm(x))) * 0.5
        hidden = F.softmax(self.down(hidden) * self.scale, dim=-1)
        return torch.sigmoid(hidden + x).sum(dim=-1)


def get_inputs():
    return [torch.randn(6, 16)]
'''
HARD = '''class Net(nn.Module):
    """Tied weights, a batch norm in training, changes in place, an operator of no table, two results."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8, bias=False)
        self.second = self.first
        self.norm = nn.BatchNorm1d(8)

    def forward(self, x):
        y = self.norm(torch.relu_(self.first(x)))
        y.mul_(2.0)
        z = self.second(torch.lgamma(y.abs() + 1.5))
        z = torch.sigmoid(z) + y
        return F.softmax(z, dim=1), z.sum(dim=1)


def get_inputs():
    return [torch.randn(12, 8)]
'''
CHANGES_ITS_INPUT = """class Net(nn.Module):
    def forward(self, x):
        x.mul_(2.0)
        return torch.tanh(torch.abs(torch.sigmoid(torch.relu(torch.cos(torch.sin(x))))))


def get_inputs():
    return [torch.randn(12, 8)]
"""


def in_fragments(path: Path, zygotes: Zygotes, library: Library | None = None) -> tuple[Found, str | None]:
    found = Found(load_task(str(path)), QUICK)
    policy = ComposerPolicy(0, zygotes)
    runner = Runner(policy)
    search = Search(found, policy, 2, Questions(zygotes), library=library or Library(), model="composer")
    with judging(QUICK, zygotes=zygotes, tell=runner.tell) as hands:
        list(runner.run([(search, STRATEGIES["fragments"])], hands))
        return found, drop_in(found, hands, zygotes, "composer")


@pytest.mark.slow
def test_a_hard_module_is_handled(zygotes: Zygotes, tmp_path: Path):
    (tmp_path / "hard.py").write_text(HEAD + HARD)
    found, text = in_fragments(tmp_path / "hard.py", zygotes)
    assert text, proof.outcome(found)
    assert "torch.ops.aten.lgamma" in text
    (tmp_path / "hard.triton.py").write_text(text)
    compare(tmp_path, "hard")


def test_what_cannot_be_taken_apart_is_named(zygotes: Zygotes, tmp_path: Path):
    (tmp_path / "net.py").write_text(HEAD + CHANGES_ITS_INPUT)
    found, text = in_fragments(tmp_path / "net.py", zygotes)
    assert text is None
    assert found.reason == "no fragment is taken out of a task that changes its inputs in place"
    assert "The file stays as it is: no fragment is taken" in proof.outcome(found)


@pytest.mark.slow
def test_killed_it_goes_on_from_what_was_solved(tmp_path: Path):
    """Ten operators; killed when the first kernel is kept, and then let run to its end."""
    (tmp_path / "ten.py").write_text(HEAD + TEN)
    library = tmp_path / "kernels.sqlite"
    arguments = ["optimize", str(tmp_path / "ten.py"), "--library", str(library), "--json"]
    command = [TRITONRL, *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as broken:
        deadline = time.monotonic() + 180
        while not library.exists() or not Library(library).entries():
            assert broken.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        broken.send_signal(signal.SIGKILL)
    solved = {each.fragment for each in Library(library).entries()}
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["search"] == "fragments"
    kept = [each for each in facts["fragments"] if each["kept_at"]]
    assert sum(len(each["kept_at"]) for each in kept) >= 2
    assert {each["id"] for each in kept if each["source"] == "library"} == solved & {
        each["id"] for each in kept
    }
    assert solved & {each["id"] for each in kept}
    assert facts["candidates"][0]["verdict"]["accepted"] is True
    assert "Fragments in Triton" in (tmp_path / "ten.triton.md").read_text()
    compare(tmp_path, "ten")
