"""Capture: modules of every kind become programs that compute what the module computes."""

import copy
import resource

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

from tests.program.modules import EXAMPLES, Example
from tests.program.recapture import recapture
from tritonrl.program import emit
from tritonrl.program.capture import CaptureError, capture, capture_without_memory
from tritonrl.synth import Config, program

FAST, SLOW = EXAMPLES[::4], [example for number, example in enumerate(EXAMPLES) if number % 4]


def check_example(example: Example) -> None:
    """Outputs, updated buffers and known operators; then the emitted program captures to itself."""
    module, inputs = example.build(), example.inputs()
    captured = capture(module, inputs)
    result, updates = captured.run(module, inputs)
    before = {name: buffer.clone() for name, buffer in module.named_buffers()}
    original = copy.deepcopy(module)
    for part in original.modules():
        if isinstance(part, nn.Dropout):
            part.eval()
    expected = original(*inputs)
    got, wanted = pytree.tree_leaves(result), pytree.tree_leaves(expected)
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    for name, buffer in original.named_buffers():
        torch.testing.assert_close(updates.get(name, before[name]), buffer, rtol=1e-4, atol=1e-6)
    assert (captured.opaque == ()) == example.known
    source = emit(captured.program)
    assert emit(recapture(source).program) == source


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("example", FAST, ids=lambda example: example.name)
def test_a_module_becomes_a_program(example: Example):
    check_example(example)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("example", SLOW, ids=lambda example: example.name)
def test_every_module_becomes_a_program(example: Example):
    check_example(example)


def test_there_are_enough_kinds_of_modules():
    assert len(EXAMPLES) >= 64
    assert sum(example.known for example in EXAMPLES) >= 50


@pytest.mark.slow
@pytest.mark.parametrize(("level", "count"), [(2, 25), (3, 20), (5, 15), (10, 10)])
def test_random_programs_are_fixed_points(level: int, count: int):
    for index in range(count):
        made = program(Config(level, seed=11, views=0.2), index)
        source = emit(made)
        captured = recapture(source)
        assert emit(captured.program) == source
        assert captured.program == made


class Huge(nn.Module):
    """16 GiB of weights and as much input."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.BatchNorm1d(features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.linear(x)))


def test_gigabytes_cost_no_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    captured = capture_without_memory(lambda: Huge(65536), lambda: (torch.randn(65536, 65536),))
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert captured.program.inputs[0].num_bytes == 16 << 30
    assert captured.opaque == ()
    assert grown_kib < 500 * 1024


def test_mode_is_respected():
    module, inputs = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(0.5)), (torch.randn(8, 4),)
    trained = capture(module, inputs)
    assert trained.random == ("aten.native_dropout.default",)
    assert trained.updates == ("0.running_mean", "0.running_var", "0.num_batches_tracked")
    evaluated = capture(module.eval(), inputs)
    assert (evaluated.random, evaluated.updates) == ((), ())
    assert evaluated.program.nodes[0].attrs["training"] is False


def test_parameters_become_inputs_after_the_users_own():
    captured = capture(nn.Linear(4, 2), (torch.randn(3, 4),))
    assert [(source.kind, source.name) for source in captured.sources] == [
        ("input", "0"), ("parameter", "weight"), ("parameter", "bias"),
    ]  # fmt: skip


class ByValue(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[x > 0]


class Broken(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise KeyError("lost")


@pytest.mark.parametrize(
    ("module", "message"), [(ByValue(), "ByValue cannot be"), (Broken(), "Broken cannot be exported")]
)
def test_what_cannot_be_captured_is_one_clear_line(module: nn.Module, message: str):
    with pytest.raises(CaptureError, match=message) as caught:
        capture(module, (torch.randn(4),))
    assert "\n" not in str(caught.value)
