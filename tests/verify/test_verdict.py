"""The Verdict: one JSON document with the keys that the design promises, there and back again."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from tritonrl.tasks import Task
from tritonrl.verify.judge import LAYERS, verify
from tritonrl.verify.settings import Settings
from tritonrl.verify.verdict import SCHEMA_VERSION, Finding, Layer, Sandbox, Verdict
from tritonrl.verify.zygotes import Zygotes

PROMISED = {
    "task", "device", "policy", "valid", "compiled", "correct", "accepted", "speedup", "coverage", "findings",
    "layers",
}  # fmt: skip
"""By design.md §5 of `verify --json`."""


def verdict(**changes: Any) -> Verdict:
    fields = {
        "task": "t", "device": "cpu", "policy": "full", "precision": "ieee", "target": "sm_90",
        "valid": True, "compiled": True, "correct": True, "findings": (), "layers": (),
        "num_draws": 5, "num_calls": 30, "weights_replaced": None, "versions": {"torch": "2"}, "seconds": 1.5,
        "sandbox": Sandbox(held=("seccomp",), missing={"network": "denied"}),
    }  # fmt: skip
    return Verdict(**fields | changes)


@pytest.mark.parametrize("valid", [True, False, None])
@pytest.mark.parametrize("compiled", [True, False, None])
@pytest.mark.parametrize("correct", [True, False, None])
def test_accepted_needs_all_three(valid: bool | None, compiled: bool | None, correct: bool | None):
    made = verdict(valid=valid, compiled=compiled, correct=correct)
    assert made.accepted is (valid is True and compiled is True and correct is True)


def test_the_document_comes_back_as_the_same_verdict():
    finding = Finding(layer="correct", rule="E3", message="no bias", line=7)
    layer = Layer(name="parse", status="pass", seconds=0.1, story=("12 lines",))
    made = verdict(findings=(finding,), layers=(layer,), correct=False)
    document = json.loads(json.dumps(made.model_dump(mode="json")))
    assert Verdict.from_json(document) == made
    assert document["accepted"] is False


@pytest.mark.parametrize(
    "change", [{"score": 1.0}, {"valid": "maybe"}, {"findings": [{"rule": "E3"}]}, {"seconds": None}]
)
def test_a_document_that_is_no_verdict_is_refused(change: dict[str, Any]):
    document = verdict().model_dump(mode="json") | change
    with pytest.raises(ValidationError):
        Verdict.from_json(document)


def test_an_unknown_status_or_severity_is_refused():
    with pytest.raises(ValidationError):
        Layer(name="parse", status="ok", seconds=0.0)  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        Finding(layer="parse", rule="parse", message="", severity="fatal")  # type: ignore[arg-type]


def test_a_verdict_is_frozen():
    with pytest.raises(ValidationError):
        verdict().correct = True  # type: ignore[misc]


def test_only_a_finding_that_rejects_is_the_rejection():
    note = Finding(layer="compile", rule="resources", message="", severity="note")
    warning = Finding(layer="correct", rule="task.weak", message="", severity="warning")
    reject = Finding(layer="correct", rule="E3", message="")
    assert verdict(findings=(note, warning)).rejection is None
    assert verdict(findings=(note, warning, reject)).rejection == reject


TASK = Task.functional(
    "double",
    "import torch\n\n\ndef get_inputs():\n    return [torch.randn(40)]\n\n\n"
    "def fused_operator(tensor_0):\n    return [tensor_0 * 2]\n",
)
RIGHT = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) * 2, at < n)


def triton_fused_operator(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=64)
    return [out]
"""


def test_an_accepted_candidates_document_has_what_the_design_promises(zygotes: Zygotes):
    document = verify(TASK, RIGHT, Settings(), zygotes=zygotes).model_dump(mode="json")
    assert document.keys() >= PROMISED
    assert document["accepted"] is True
    assert (document["task"], document["device"], document["policy"]) == ("double", "cpu", "full")
    assert document["speedup"] is None, "not timed is null, never 0"
    assert document["schema_version"] == SCHEMA_VERSION
    assert document["versions"].keys() == {"tritonrl", "torch", "triton"}
    assert document["num_calls"] >= 30
    assert document["num_draws"] >= 5
    assert [layer["name"] for layer in document["layers"]] == [name for name, _, _ in LAYERS]
    skipped = [layer["name"] for layer in document["layers"] if layer["status"] == "skip"]
    assert skipped == ["judge", "timing"], "nobody asked for them"
    passed = [layer for layer in document["layers"] if layer["status"] == "pass"]
    assert len(passed) == len(LAYERS) - 2
    assert all(layer["seconds"] >= 0 for layer in passed)
    assert document["sandbox"]["held"]


@pytest.mark.parametrize(
    ("code", "failing", "skipped", "answers"),
    [
        (
            "x = (",
            "syntax",
            ["lint", "judge", "compile", "correct", "faithful", "timing"],
            (False, None, None),
        ),
        (RIGHT.replace("* 2", "* 3"), "correct", ["judge", "timing"], (True, True, False)),
        (
            RIGHT.replace("* 2", "* undefined"),
            "compile",
            ["judge", "correct", "faithful", "timing"],
            (None, False, None),
        ),
    ],
    ids=["not Python", "wrong", "does not compile"],
)
def test_the_first_layer_that_fails_decides_and_the_rest_is_skipped(
    code: str, failing: str, skipped: list[str], answers: tuple[bool | None, ...], zygotes: Zygotes
):
    found = verify(TASK, code, Settings(), zygotes=zygotes)
    status = {layer.name: layer.status for layer in found.layers}
    assert status[failing] == "fail"
    assert [name for name, value in status.items() if value == "skip"] == skipped
    assert (found.valid, found.compiled, found.correct) == answers
    assert found.rejection is not None
    assert found.rejection.layer == failing
    assert not found.accepted


HIDING = "exec(bytes.fromhex('70617373'))\n"


def test_a_skipped_layer_says_so(zygotes: Zygotes):
    found = verify(TASK, HIDING + RIGHT, Settings(skip_layers=("lint",)), zygotes=zygotes)
    assert found.accepted, found.rejection
    assert {layer.name: layer.status for layer in found.layers}["lint"] == "skip"
    assert not verify(TASK, HIDING + RIGHT, Settings(), zygotes=zygotes).accepted
