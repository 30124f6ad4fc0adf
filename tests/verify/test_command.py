"""`tritonrl verify` and `tritonrl tasks lint` as a user meets them: exit codes, stdout and stderr."""

import json
import os
from pathlib import Path

import pytest

from tests.command import Done, run, run_process
from tests.llm.opinions import judging, telling_the_key
from tests.llm.server import Act, Server, good

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
TASK, KERNEL, WRONG = (str(EXAMPLES / f"row_softmax{name}.py") for name in ("", "_kernel", "_overflows"))
KEYS = {
    "task", "device", "policy", "valid", "compiled", "correct", "accepted", "speedup", "coverage",
    "findings", "layers",
}  # fmt: skip


def test_an_honest_kernel_exits_with_0_and_one_document():
    done = run_process("verify", TASK, KERNEL, "--json", "--require-sandbox")
    assert (done.returncode, done.stderr) == (0, "")
    verdict = json.loads(done.stdout)
    assert verdict.keys() >= KEYS
    assert verdict["accepted"] is True
    assert verdict["task"] == "row_softmax"
    assert verdict["device"] == "cpu"
    assert verdict["policy"] == "full"
    assert verdict["speedup"] is None
    names = [layer["name"] for layer in verdict["layers"]]
    assert names == ["parse", "syntax", "lint", "judge", "compile", "correct", "faithful", "timing"]
    assert verdict["coverage"] == 1.0
    statuses = [layer["status"] for layer in verdict["layers"]]
    assert statuses == ["pass", "pass", "pass", "skip", "pass", "pass", "pass", "skip"]
    assert verdict["timing"] is None
    assert verdict["versions"].keys() == {"tritonrl", "torch", "triton"}


def test_a_wrong_kernel_exits_with_1_and_the_story_is_told():
    done = run("verify", TASK, WRONG, "--explain", "--policy", "hybrid", "--no-timing", "--baseline", "eager")
    assert (done.returncode, done.stderr) == (1, "")
    for told in (
        "rejected  row_softmax",
        "not finite",
        "on inputs of kind",
        "specialisation of softmax_kernel for sm_90",
        "landlock",
    ):
        assert told in done.stdout


def test_a_candidate_may_come_on_stdin_as_a_models_answer():
    answer = f"<think>one row a program</think>\n```python\n{Path(KERNEL).read_text()}```\n"
    done = run("verify", TASK, "-", "--json", text=answer)
    assert done.returncode == 0
    assert json.loads(done.stdout)["accepted"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.py", KERNEL], "nowhere.py: cannot be read: No such file"),
        ([TASK, "nowhere.py"], "nowhere.py: cannot be read: No such file"),
        ([TASK, str(EXAMPLES)], "cannot be read: Is a directory"),
        ([TASK, KERNEL, "--device", "tpu"], "unknown device 'tpu'; known: auto, cpu, cuda"),
        ([TASK, KERNEL, "--device", "cuda"], "--device cuda"),
        ([TASK, KERNEL, "--policy", "lax"], "unknown policy 'lax'; known: full, hybrid"),
        ([TASK, KERNEL, "--precision", "fp4"], "unknown precision 'fp4'; known: ieee, tf32"),
        ([TASK, KERNEL, "--target", "sm_1"], "unknown target 'sm_1'; known: sm_80"),
        ([TASK, KERNEL, "--baseline", "slow"], "unknown baseline 'slow'; known: eager"),
        (
            [TASK, KERNEL, "--skip-layers", "correct"],
            "unknown layer that can be skipped 'correct'; known: lint",
        ),
        ([TASK], "Missing argument 'candidate'"),
    ],
)
def test_a_wrong_question_is_one_line_and_exit_2(arguments: list[str], message: str):
    done = run("verify", *arguments, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_task_that_fails_is_a_wrong_question(tmp_path: Path):
    task = tmp_path / "task.py"
    task.write_text("def get_inputs():\n    return [1 / 0]\n\n\ndef fused_operator(x):\n    return [x]\n")
    for command in (["verify", str(task), KERNEL], ["tasks", "lint", str(task)]):
        done = run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert (
            done.stderr
            == "tritonrl: task: cannot draw its inputs: ZeroDivisionError: division by zero (line 2)\n"
        )


@pytest.mark.parametrize(
    ("inputs", "result", "message"),
    [
        ("torch.randn(4, dtype=torch.complex64)", "x.real", "cannot draw its inputs: TaskFault: a tensor is"),
        (
            "torch.randn(4)",
            "torch.complex(x, x)",
            "cannot run: TaskFault: a tensor is torch.complex64; complex",
        ),
        ("torch.randn(0, 5)", "x * 2", "cannot run: TaskFault: all that it returns is empty"),
        ("torch.randn(4)", "x[:0]", "cannot run: TaskFault: all that it returns is empty"),
    ],
)
def test_a_task_about_tensors_that_are_not_judged_is_a_wrong_question(
    inputs: str, result: str, message: str, tmp_path: Path
):
    task = tmp_path / "task.py"
    task.write_text(
        f"import torch\n\n\ndef get_inputs():\n    return [{inputs}]\n\n\n"
        f"def fused_operator(x):\n    return [{result}]\n"
    )
    done = run("verify", str(task), KERNEL, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_binary_and_oversized_candidates_are_refused(tmp_path: Path):
    binary, large = tmp_path / "binary.py", tmp_path / "large.py"
    binary.write_bytes(b"\xff\xfe\x00")
    large.write_text("#" * 2_000_000)
    assert "not UTF-8 text" in run("verify", TASK, str(binary)).stderr
    assert "a candidate has at most" in run("verify", TASK, str(large)).stderr


def test_lint_shows_every_mutant_and_exits_by_the_weakest(tmp_path: Path):
    weak = tmp_path / "weak.py"
    weak.write_text(
        "import torch\n\n\ndef get_inputs():\n    return [torch.rand(8, 30) + 1.0]\n\n\n"
        "def fused_operator(x):\n    return [x / (x.sum(dim=1, keepdim=True) + 1e-6)]\n"
    )
    done = run("tasks", "lint", TASK, str(weak), "--json")
    assert (done.returncode, done.stderr) == (1, "")
    sound, found = json.loads(done.stdout)["tasks"]
    assert (sound["weak"], found["weak"]) == (False, True)
    assert {mutant["status"] for mutant in sound["mutants"]} == {"killed"}
    assert all(mutant["killed_by"] for mutant in sound["mutants"])
    shown = run("tasks", "lint", TASK)
    assert shown.returncode == 0
    assert "sound  row_softmax" in shown.stdout
    assert "takes operand 1 as ones" in shown.stdout


def test_synth_with_lint_writes_what_it_says(tmp_path: Path):
    out = tmp_path / "t.jsonl"
    arguments = ["synth", "--level", "2", "--count", "2", "--seed", "3", "--lint", "--out", str(out)]
    assert run(*arguments).returncode == 0
    first = out.read_bytes()
    assert first.count(b"\n") == 2
    assert run(*arguments[:-1], str(tmp_path / "again.jsonl")).returncode == 0
    assert (tmp_path / "again.jsonl").read_bytes() == first
    assert run("tasks", "lint", str(out)).returncode == 0


KEY = "sk-not-to-be-seen-anywhere-1234567890"


def verified(act: Act, *arguments: str) -> Done:
    """`tritonrl verify` of an honest kernel, with a judge that answers so."""
    with Server(act) as server:
        environment = {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        command = ["verify", TASK, KERNEL, "--device", "cpu", "--judge", "openai:tiny", *arguments]
        done = run(*command, env=environment)
    assert KEY not in done.stdout + done.stderr
    return done


def test_a_language_model_has_a_say():
    fine = verified(judging(), "--json")
    assert (fine.returncode, fine.stderr) == (0, "")
    assert json.loads(fine.stdout)["accepted"] is True
    broken = verified(telling_the_key(3), "--json")
    assert (broken.returncode, broken.stderr) == (1, "")
    (finding,) = json.loads(broken.stdout)["findings"]
    assert (finding["layer"], finding["rule"]) == ("judge", "rubric-3")


def test_without_an_opinion_a_person_is_told_that_nothing_is_decided():
    done = verified(good("hm"), "--explain")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("not decided  row_softmax")
    assert "not-judged" in done.stdout
    assert "openai:tiny gave no opinion" in done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [("tiny", "unknown provider 'tiny'; known: openai"), ("openai:tiny", "OPENAI_API_KEY is not set")],
)
def test_a_judge_that_cannot_be_asked_is_one_line_and_exit_2(name: str, message: str):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI")}
    for command in (["verify", TASK, KERNEL], ["eval", "synth:1", "--out", "/no/such/folder"]):
        done = run(*command, "--judge", name, env=environment)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
