"""Labels and input generators that a model writes: taken to the letter, and never run but in the sandbox."""

from pathlib import Path

import pytest

from tritonrl.llm import Reply
from tritonrl.program import Program, emit
from tritonrl.tasks import Task, TaskError
from tritonrl.teach.model import prompts, trial
from tritonrl.teach.model.generators import variant
from tritonrl.teach.model.labels import read_label
from tritonrl.teach.model.trial import tried, vary
from tritonrl.verify import Zygotes

PROGRAM = Program.from_json(
    {"inputs": ["float32[6,8]", "float32[6,8]"], "nodes": [["div", [0, 1]]], "outputs": [2]}
)
TASK = Task.functional("div", emit(PROGRAM), 1, PROGRAM.to_json(), ("div",))
MODULE = Task(
    id="net",
    kind="kernelbench",
    entry="Model",
    init_style="args",
    source="""import torch
from torch import nn

rows = 4


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.up(x))


def get_inputs():
    return [torch.randn(rows, 12)]


def get_init_inputs():
    return [12]
""",
)


def draw(first: str, second: str = "torch.rand(5, 7) + 1", head: str = "import torch\n\n\n") -> str:
    return f"{head}def get_inputs():\n    return [{first}, {second}]\n"


def block(text: str) -> str:
    return f"```python\n{text}```\n"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("level: 1", 1), ("Level: 2\n", 2), ("<think>level: 1?\n</think>\nlevel: 2", 2),
        ("level: 3", None), ("1", None), ("level: 1 or level: 2", None), ("`level: 1`", None), ("", None),
        ("level: 12", None), ("It is level: 1", None), ("<think>level: 1", None),
    ],
)  # fmt: skip
def test_a_label_is_read_to_the_letter(text: str, label: int | None):
    reply = Reply(text=text, finished=True, tokens_in=1, tokens_out=1, seconds=0.1)
    assert read_label(reply) == label
    assert read_label(reply.model_copy(update={"finished": False})) is None
    assert read_label(None) is None


def test_prompts_have_the_source_and_what_is_wanted():
    (label,), (inputs,) = prompts.label(TASK), prompts.inputs(MODULE, 3)
    assert TASK.source.strip() in label.content
    assert "`level: 1` or `level: 2`" in label.content
    assert MODULE.source.strip() in inputs.content
    assert "Write 3 other generators" in inputs.content
    assert "`get_init_inputs()`" in inputs.content
    assert "get_init_inputs" not in prompts.inputs(TASK, 3)[0].content


def test_a_variant_is_the_task_with_another_generator():
    made = variant(
        TASK, "import torch\nimport math\n\n\n" + draw("torch.randn(5, math.prod([7]))", head=""), 1
    )
    assert (made.id, made.level, made.ops, made.program) == ("div@1", 1, ("div",), None)
    assert made.source.count("def get_inputs") == 1
    assert made.source.count("import torch\n") == TASK.source.count("import torch\n")
    assert "import math" in made.source
    assert "def fused_operator(tensor_0, tensor_1):" in made.source
    both = "def get_inputs():\n    return [torch.randn(3, 20)]\n\n\ndef get_init_inputs():\n    return [20]\n"
    net = variant(MODULE, both, 2)
    assert (net.kind, net.init_style, net.source.count("return [12]")) == ("kernelbench", "args", 0)
    assert "rows = 4" in net.source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import torch\n", "no get_inputs"),
        ("def get_inputs(:\n", "no Python"),
        ("x" * 20000, "too much of it"),
        ("def get_inputs(n):\n    return [torch.randn(n)]\n", "needs arguments"),
        ("print(1)\n\n\n" + draw("torch.randn(5, 7)", head=""), "neither import nor function"),
        (draw("print(1)"), "uses print"),
        (draw("open('/etc/passwd')"), "uses open"),
        (draw("torch.randn(5, 7)", head="import sys\n"), "imports sys"),
        (draw("torch.randn(5, 7)", head="from os import path\n"), "imports os"),
        (draw("torch.randn(5, 7)", head="from math import *\n"), "under a name"),
        (draw("torch.randn(5, 7)", head="import math as fused_operator\n"), "under a name"),
        (
            draw("torch.randn(5, 7)") + "\n\ndef fused_operator(a, b):\n    return [a]\n",
            "defines fused_operator",
        ),
        (
            draw("torch.randn(5, 7)") + "\n\ndef get_init_inputs():\n    return []\n",
            "defines get_init_inputs",
        ),
        (draw("().__class__"), "touches __class__"),
        (draw("__builtins__"), "uses __builtins__"),
        (draw("globals()"), "uses globals"),
        (draw("(lambda globals: 1)(2), globals()"), "uses globals"),
        ("def get_inputs():\n    torch.div = torch.mul\n    return []\n", "touches div"),
        ("def get_inputs():\n    global torch\n    return []\n", "reaches beyond"),
    ],
)
def test_what_is_more_than_a_generator_is_refused(text: str, message: str):
    with pytest.raises(TaskError, match=message):
        variant(TASK, text, 1)


def test_generators_are_tried_and_each_stands_for_itself(zygotes: Zygotes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trial, "STEP_SECONDS", 3.0)
    written = {
        "good": draw("torch.randn(5, 7)"),
        "same as the good one": draw("torch.randn(5, 7)"),
        "as the task's own": draw("torch.randn(6, 8)", "torch.rand(6, 8) + 1"),
        "endless": "def get_inputs():\n    while True:\n        pass\n",
        "huge": draw("torch.zeros(1).expand(10**12)"),
        "large": draw("torch.randn(4096, 64)", "torch.rand(4096, 64) + 1"),
        "a file": draw("torch.load('/etc/passwd')"),
        "not finite": draw("torch.randn(5, 7)", "torch.zeros(5, 7) * torch.randn(5, 7)"),
        "constant": draw("torch.zeros(9, 7)", "torch.rand(9, 7) + 1"),
        "another type": draw("torch.randn(4, 7).double()", "(torch.rand(4, 7) + 1).double()"),
        "one too few": "def get_inputs():\n    return [torch.randn(3)]\n",
        "does not fit": draw("torch.randn(5, 7)", "torch.rand(4, 3) + 1"),
        "no list": "def get_inputs():\n    return 3\n",
        "print": draw("print(5)"),
        "good too": draw("torch.randn(13, 3)", "torch.rand(13, 1) + 1"),
    }
    varied = vary(zygotes, TASK, "".join(map(block, written.values())), len(written))
    found = {name: each.error for name, each in zip(written, varied.variants, strict=True)}
    assert [name for name, error in found.items() if error is None] == ["good", "good too"], found
    expected = {
        "same as the good one": "shapes are those", "as the task's own": "shapes are those",
        "endless": "gave no answer within 3 s", "huge": "at most", "large": "at most", "a file": "draw",
        "not finite": "not finite", "constant": "same in every draw", "another type": "types",
        "one too few": "run", "does not fit": "run", "no list": "not a list", "print": "uses print",
    }  # fmt: skip
    for name, message in expected.items():
        assert message in (found[name] or ""), (name, found[name])
    good = [each.task for each in varied.variants if each.task]
    assert [each.id for each in good] == ["div@1", f"div@{len(written)}"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("__import__('sys').exit(3)", "SystemExit"),
        ("__import__('os')._exit(3)", "exit code 3"),
        ("open('/tmp/tritonrl-was-here', 'w')", "PermissionError"),
        ("__import__('os').kill(__import__('os').getppid(), 9)", "cannot"),
    ],
)
def test_what_reads_like_a_generator_and_is_none_meets_the_sandbox(zygotes: Zygotes, line: str, message: str):
    """The rules above are tripwires: this is what holds."""
    source = TASK.source.replace("def get_inputs():\n", f"def get_inputs():\n    {line}\n")
    with pytest.raises(TaskError, match=message):
        tried(zygotes, TASK.model_copy(update={"source": source, "program": None}), 2**20)
    assert not Path("/tmp/tritonrl-was-here").exists()


def test_a_module_is_built_to_fit_its_inputs(zygotes: Zygotes):
    both = "def get_inputs():\n    return [torch.randn(3, 20)]\n\n\ndef get_init_inputs():\n    return [20]\n"
    unfit = "def get_inputs():\n    return [torch.randn(3, 21)]\n"
    rows = "def get_inputs():\n    return [torch.randn(rows + 3, 12)]\n"
    varied = vary(zygotes, MODULE, block(both) + block(unfit) + block(rows), 5)
    assert [each.task is not None for each in varied.variants] == [True, False, True]


def test_no_generator_and_too_many(zygotes: Zygotes):
    assert vary(zygotes, TASK, "I would rather not.", 5).variants == ()
    varied = vary(
        zygotes,
        TASK,
        "".join(block(draw(f"torch.randn({n}, 7)", "torch.rand(1) + 1")) for n in range(2, 6)),
        2,
    )
    assert [each.task is not None for each in varied.variants] == [True, True]


def test_a_task_that_does_not_run_has_no_variants(zygotes: Zygotes):
    broken = TASK.model_copy(update={"source": TASK.source.replace("randn", "rondn"), "program": None})
    assert broken.source != TASK.source
    (only,) = vary(zygotes, broken, block(draw("torch.randn(5, 7)")), 5).variants
    assert only.task is None
    assert "rondn" in (only.error or "")
