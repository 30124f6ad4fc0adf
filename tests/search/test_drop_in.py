"""The file that `tritonrl optimize` writes: what its guard lets through to the kernels, and how it reads.

The kernels are replaced by a marker: what gives a hundred everywhere was let through.
"""

import copy
import inspect
import os
import pickle
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.search.test_optimize import DOUBLE, KERNEL, NET
from tritonrl.search.drop_in import Calls, calls_of, written
from tritonrl.tasks import Task
from tritonrl.verify import Zygotes

MIXED = '''"""Blocks."""

from __future__ import annotations

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int, slope: float) -> None:
        super().__init__()
        self.linear, self.norm, self.slope = nn.Linear(width, width), nn.LayerNorm(width), slope

    def forward(self, x):
        return nn.functional.leaky_relu(self.norm(self.linear(x)), self.slope)


class Net(nn.Module):
    r"""Two blocks; \\alpha is 0.1."""

    def __init__(self, width: int = 4, *, slope: float = 0.1, batch: bool = False) -> None:
        super().__init__()
        self.first, self.second = Block(width, slope), Block(width, slope)
        self.second.linear.weight = self.first.linear.weight
        self.act = torch.relu
        self.sizes = (width, width)
        if batch:
            self.batch = nn.BatchNorm1d(width)
        self.register_buffer("offset", torch.ones(width))

    def forward(self, x: torch.Tensor, scale: float = 1.0, shape=(3, 4)):
        """Forward."""
        x = self.act(self.second(self.first(x))) * scale + self.offset
        return self.batch(x) if hasattr(self, "batch") else x


def get_inputs():
    return [torch.randn(3, 4)]
'''
INPUTS = ("((3, 4), (4, 1), torch.float32)",)


def task(source: str) -> Task:
    return Task(id="net", kind="module", source=source, entry="Net", init_style="none")


def file(source: str = MIXED, arguments: str = "[[], {}]", name: str = "drop_in_under_test") -> Any:
    """The drop-in, imported."""
    calls = Calls(INPUTS, arguments)
    head, _, body = source.rpartition("def forward(")
    marked = (
        f"{head}def forward(self, *args):\n        return torch.full((3, 4), 100.0)\n\n    def was({body}"
    )
    text = written(task(source), marked.replace("class Net", "class ModelNew"), calls, "nobody")
    module = types.ModuleType(name)
    sys.modules[name] = module  # pickle looks for its classes there
    exec(compile(text, name, "exec"), vars(module))
    module.INTERPRETED = True  # type: ignore[attr-defined]
    return module


def reaches(net: nn.Module, *args: Any, **kwargs: Any) -> bool:
    """Whether a call goes to the kernels. PyTorch's own may fail over what it is given."""
    args = args if args or kwargs else (torch.randn(3, 4),)
    with torch.no_grad():
        try:
            return bool(torch.all(net(*args, **kwargs) == 100))
        except (AttributeError, RuntimeError, TypeError):
            return False


CHANGES: dict[str, Callable[[Any], object]] = {
    "a setting of a submodule": lambda net: setattr(net.first.norm, "eps", 1.0),
    "a tuple": lambda net: setattr(net.first.norm, "normalized_shape", (2, 4)),
    "a setting of a user's": lambda net: setattr(net.second, "slope", 0.2),
    "a function": lambda net: setattr(net, "act", torch.tanh),
    "a setting that is gone": lambda net: delattr(net.first, "slope"),
    "another submodule": lambda net: setattr(net.first, "norm", nn.LayerNorm(4)),
    "one more submodule": lambda net: net.add_module("third", nn.ReLU()),
    "a hook inside": lambda net: net.first.register_forward_hook(lambda *_: None),
    "another shape": lambda net: setattr(net.first.linear, "bias", nn.Parameter(torch.zeros(8))),
    "other strides": lambda net: setattr(
        net.first.linear.weight, "data", net.first.linear.weight.data.T.contiguous().T
    ),
    "another type": lambda net: net.double(),
    "another type inside": lambda net: net.first.norm.half(),
    "a buffer's type": lambda net: setattr(net, "offset", net.offset.double()),
    "no parameter": lambda net: setattr(net.first.linear, "bias", None),
    "weights that are tied no more": lambda net: setattr(
        net.second.linear, "weight", nn.Parameter(net.first.linear.weight.clone())
    ),
    "weights that are nowhere": lambda net: net.to("meta"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_module_that_is_not_as_verified_is_left_to_pytorch(change: Callable[[Any], object]):
    net = file().Net()
    assert reaches(net)
    change(net)
    assert not reaches(net)


def test_what_changes_no_result_changes_nothing():
    net = file().Net()
    net.register_forward_hook(lambda *_: None)
    net.load_state_dict({name: value * 2 for name, value in net.state_dict().items()})
    assert reaches(net)
    assert reaches(copy.deepcopy(net))
    net.requires_grad_(False)
    net.first.norm.eps = 1.0
    net.first.norm.eps = 1e-5
    net.first.linear.bias = nn.Parameter(torch.ones(4))
    assert reaches(net)


def test_copies_are_watched_on_their_own():
    net = file().Net()
    for made in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert reaches(made)
        made.first.norm.eps = 1.0
        assert not reaches(made)
    assert reaches(net)


@pytest.mark.parametrize(
    ("arguments", "keywords", "holds"),
    [
        ((), {}, True),
        ((4,), {}, True),
        ((), {"width": 4, "slope": 0.1}, True),
        ((8,), {}, False),
        ((), {"slope": 0.2}, False),
        ((), {"batch": True}, False),
    ],
)
def test_what_is_constructed_otherwise_is_left_to_pytorch(arguments: tuple, keywords: dict, holds: bool):
    net = file().Net(*arguments, **keywords)
    width = (arguments or (4,))[0]
    assert reaches(net) == holds
    if not holds:
        with torch.no_grad():
            assert net(torch.randn(3, width)).shape == (3, width)


def test_constructed_by_place_and_by_name_as_verified():
    made = file(arguments='[[8], {"slope": 0.5}]')
    assert reaches(made.Net(8, slope=0.5))
    assert not reaches(made.Net())
    torch.set_default_dtype(torch.float64)
    try:
        assert not reaches(made.Net(8, slope=0.5))
    finally:
        torch.set_default_dtype(torch.float32)


def test_training_is_as_verified_where_somebody_asks_for_it():
    """Batch norm and dropout do. Most modules do not, and are evaluated more often than trained."""
    net = file().Net()
    assert reaches(net.eval())
    assert reaches(net.train())
    asking = "self.register_buffer"
    for submodule in ("nn.BatchNorm1d(4)", "nn.Dropout()", "nn.Sequential(nn.InstanceNorm1d(4))"):
        net = file(MIXED.replace(asking, f"self.third = {submodule}\n        {asking}")).Net()
        assert reaches(net)
        assert not reaches(net.eval())
        assert reaches(net.train())
        net.third.eval()
        assert not reaches(net)
    for own in (
        "x = x if self.training else -x",
        "x = [x if self.training else -x for _ in 'a'][0]",
        "x = x if getattr(self, 'training') else -x",
    ):
        net = file(MIXED.replace('"""Forward."""', own)).Net()
        assert reaches(net)
        assert not reaches(net.eval()), own


def test_a_call_that_is_not_as_verified_is_left_to_pytorch():
    net = file().Net()
    x = torch.randn(3, 4)
    for other in (torch.randn(5, 4), torch.randn(4, 3).T, x.double(), x.to_sparse(), x.to("meta"), 1.0):
        assert not reaches(net, other)
    assert reaches(net, x, 1.0, (3, 4))
    assert reaches(net, x=x, shape=(3, 4)), "by keyword"
    assert not reaches(net, x, 2.0)
    assert not reaches(net, x, shape=(4, 3))
    with torch.autocast("cpu"):
        assert not reaches(net)
    net(x).sum().backward()
    assert net.first.linear.weight.grad is not None, "gradients are PyTorch's"
    net.requires_grad_(False)
    assert torch.all(net(x) == 100), "none is wanted"
    assert not torch.all(net(x.requires_grad_()) == 100)


def test_without_a_gpu_and_not_interpreted_it_is_plain_python(tmp_path: Path):
    kernel = KERNEL.format(factor=3)
    for number, (source, code) in enumerate(
        [
            (DOUBLE, kernel),
            (
                NET,
                f"{NET.replace('class Net', 'class ModelNew')}\n\n{kernel}".replace(
                    "return x + ", "0 / 0 + "
                ),
            ),
        ]
    ):
        made = task(source) if number else Task.functional("double", source)
        calls = Calls(("((5, 12), (12, 1), torch.float32)",) if number else ("((40,), (1,), torch.float32)",))
        (tmp_path / f"made_{number}.py").write_text(written(made, code, calls, "nobody"))
    check = (
        "import torch, made_0, made_1\n"
        "x = torch.randn(40)\n"
        "with torch.no_grad():\n"
        "    assert torch.equal(made_0.fused_operator(x)[0], 2 * x)\n"
        "    assert made_1.Net()(torch.randn(5, 12)).shape == (5, 12)\n"
    )
    environment = {**os.environ, "TRITON_INTERPRET": "0", "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run([sys.executable, "-c", check], env=environment, cwd=tmp_path, check=True, timeout=120)


def test_it_reads_as_the_user_s_own():
    made = file()
    assert str(inspect.signature(made.Net.forward)) == "(self, x, scale=1.0, shape=(3, 4))"
    doc = inspect.getdoc(made.Net)
    assert doc
    assert doc.startswith("Two blocks; \\alpha is")
    assert doc.endswith("In Triton for calls like those that were verified; else in PyTorch.")
    assert made.ModelNew is made.Net
    code = "import torch\nfrom torch import nn\n" + NET.replace("class Net", "class ModelNew")
    text = written(task(NET), code, Calls(INPUTS), "nobody")
    imports = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert imports == [
        "import inspect",
        "import types",
        "import triton",
        "import torch",
        "from torch import nn",
    ]


def test_parameters_that_cannot_be_named_are_passed_on_as_they_come():
    source = MIXED.replace("scale: float = 1.0, shape=(3, 4)", "*rest, scale=1.0")
    net = file(source).Net()
    assert str(inspect.signature(net.forward)) == "(*args, **kwargs)"
    assert reaches(net)
    assert not reaches(net, x=torch.randn(3, 4))


def test_the_calls_are_those_of_the_task(zygotes: Zygotes):
    assert calls_of(zygotes, Task.functional("double", DOUBLE)) == Calls(("((40,), (1,), torch.float32)",))
    source = f"{NET}\n\ndef get_init_inputs():\n    return [[], {{'width': 12}}]\n"
    made = task(source).model_copy(update={"init_style": "args_kwargs"})
    calls = calls_of(zygotes, made)
    assert calls == Calls(("((5, 12), (12, 1), torch.float32)",), "[[], {'width': 12}]")
