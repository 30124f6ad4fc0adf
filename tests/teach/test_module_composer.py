"""Whole modules by the composer: constructor and state stay, forward is another, and the verifier agrees."""

import ast

import pytest
import torch
import torch.nn.functional as F

from tritonrl.policy.programs import Question
from tritonrl.program.capture import capture_function
from tritonrl.tasks import Task
from tritonrl.teach.composer import NotComposed, compose
from tritonrl.teach.composer.policy import composer_for
from tritonrl.teach.composer.spelling import spelled_out
from tritonrl.verify import Completion, Settings, Zygotes, verify
from tritonrl.verify.capturing import Captured, capture_task

SOURCE = '''"""A module."""

import torch
from torch import nn

SIZE = 12


class Scale(nn.Module):
    """Scales; Model is in a comment and in a string."""

    def __init__(self):
        super().__init__()
        self.by = nn.Parameter(torch.rand(SIZE) + 0.5)

    def forward(self, x):
        return x * self.by


class Model(nn.Module):
    def __init__(self, width):
        super(Model, self).__init__()
        self.layers = nn.Sequential(nn.Linear(SIZE, width), nn.GELU(), nn.Linear(width, SIZE))
        self.scale = Scale()

    @torch.no_grad()
    def forward(self, x):
        return {"y": x + self.scale(self.layers(x))}

    def name(self):
        return "Model"


def get_inputs():
    return [torch.randn(5, SIZE)]


def get_init_inputs():
    return [16]
'''


def task(source: str = SOURCE) -> Task:
    return Task(id="net", kind="kernelbench", source=source, entry="Model", init_style="args")


def composed(captured: Captured, source: str = SOURCE) -> str:
    question = Question(task(source), captured.program, captured)
    return question.answer(composer_for(question).answer())


@pytest.fixture(scope="module")
def captured(zygotes: Zygotes) -> Captured:
    return capture_task(zygotes, task())


def test_a_task_is_captured_where_its_code_may_run(captured: Captured):
    assert captured.sources[0] == ("input", "args[0]")
    assert ("parameter", "getattr(self.layers, '0').weight") in captured.sources
    assert ("parameter", "self.scale.by") in captured.sources
    assert captured.returned == "{'y': outputs[0]}"
    assert [node.op for node in captured.program.nodes] == ["linear", "gelu", "linear", "mul", "add"]


def test_the_class_has_another_name_and_another_forward(captured: Captured):
    code = Completion.parse(composed(captured)).code
    assert code
    classes = {node.name: node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)}
    assert set(classes) == {"Scale", "ModelNew"}
    methods = {node.name: ast.unparse(node) for node in classes["ModelNew"].body if hasattr(node, "name")}
    assert set(methods) == {"__init__", "forward", "name"}
    assert "super(ModelNew, self).__init__()" in methods["__init__"]
    assert "triton_fused_operator(args[0], " in methods["forward"]
    assert "no_grad" not in methods["forward"]
    assert methods["name"].endswith("return 'Model'"), "a string stays what it is"


def test_the_verifier_accepts_it(captured: Captured, zygotes: Zygotes):
    answer = Completion.parse(composed(captured))
    verdict = verify(task(), answer, Settings(num_calls=5, lint_seconds=0), zygotes=zygotes)
    assert verdict.accepted, verdict.findings
    assert verdict.weights_replaced
    assert verdict.findings == ()


def test_a_forward_that_is_inherited_is_added():
    source = "import torch\n\n\nclass Model(torch.nn.ReLU):\n    pass\n\n\ndef get_inputs():\n    return []\n"
    program = capture_function(torch.relu, [torch.randn(3)]).program
    made = Captured(
        program=program, sources=(("input", "args[0]"),), returned="outputs[0]", updates=(), random=()
    )
    code = Completion.parse(composed(made, source)).code
    assert code
    found = next(node for node in ast.parse(code).body if isinstance(node, ast.ClassDef))
    assert [type(node) for node in found.body] == [ast.Pass, ast.FunctionDef]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"updates": ("",)}, "changes its inputs in place"),
        ({"sources": (("constant", "c"),)}, "no parameters and no buffers"),
    ],
)
def test_what_it_does_not_write_it_names(captured: Captured, changes: dict, reason: str):
    with pytest.raises(NotComposed, match=reason):
        composed(captured.model_copy(update=changes))


@pytest.mark.parametrize(
    ("loss", "inputs"),
    [
        (F.cross_entropy, [torch.randn(6, 20), torch.randint(0, 20, (6,))]),
        (
            lambda x, y: F.cross_entropy(x, y, reduction="sum"),
            [torch.randn(6, 20), torch.randint(0, 20, (6,))],
        ),
        (F.cross_entropy, [torch.randn(3, 7, 5), torch.randint(0, 7, (3, 5))]),
        (F.cross_entropy, [torch.randn(6, 20), torch.rand(6, 20)]),
        (F.triplet_margin_loss, [torch.randn(6, 20), torch.randn(6, 20), torch.randn(6, 20)]),
    ],
    ids=["mean", "sum", "images", "probabilities", "triplets"],
)
def test_the_mean_of_a_loss_of_rows_is_a_reduction_of_its_own(loss, inputs: list[torch.Tensor]):
    captured = capture_function(loss, inputs)
    spelled = spelled_out(captured.program)
    assert [node.op for node in spelled.nodes][1:] in (["mean"], ["sum"])
    assert spelled.inputs == captured.program.inputs
    from tritonrl.program.run import run

    assert torch.allclose(run(spelled, inputs)[0], loss(*inputs))
    assert "triton_fused_operator" in compose(captured.program)
