"""The verifier on a real device: the same verdicts, and what a candidate does to the GPU costs it alone."""

import contextlib
import gc
from pathlib import Path
from typing import Any

import pytest
import torch

from tritonrl.redteam.corpus import corpus
from tritonrl.search.drop_in import calls_of
from tritonrl.tasks import load_task
from tritonrl.verify import Settings, Zygotes, verify
from tritonrl.verify.capturing import capture_task
from tritonrl.verify.inside.convolution import ByProducts
from tritonrl.verify.inside.timed import device_seconds

pytestmark = pytest.mark.gpu

ON_DEVICE = Settings(device="cuda", skip_layers=("lint",), total_seconds=20.0, call_seconds=20.0)
MORE_THAN_A_CONTEXT = 2**30


def case(name: str):
    (found,) = corpus((name,), device="cuda")
    return found


BODIES = {
    "an illegal address": ("tl.store(out_ptr + at + (1 << 40), x, mask=at < n)", "runtime_error"),
    "a loop without end": ("while tl.load(x_ptr, volatile=True) < 1e30:\n        pass", "timeout"),
}
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    {body}
    tl.store(out_ptr + at, x, mask=at < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    kernel[(triton.cdiv(out.numel(), 128),)](tensor_0, out, out.numel(), BLOCK=128)
    return [out]
"""


@pytest.mark.parametrize("name", BODIES)
def test_what_a_kernel_does_to_the_device_costs_its_own_verdict(name: str, zygotes: Zygotes):
    body, rule = BODIES[name]
    free = torch.cuda.mem_get_info()[0]
    honest = case("honest/copy_flat")
    quick = ON_DEVICE.model_copy(update={"call_seconds": 5.0})
    verdict = verify(honest.task, KERNEL.format(body=body), quick, zygotes=zygotes)
    assert verdict.rejection is not None
    assert verdict.rejection.rule == rule
    assert verify(honest.task, honest.code, ON_DEVICE, zygotes=zygotes).accepted
    assert free - torch.cuda.mem_get_info()[0] < MORE_THAN_A_CONTEXT


def test_tf32_is_rejected_under_ieee_and_timed_against_tf32_where_it_is_allowed(zygotes: Zygotes, measured):
    ieee = case("honest/matmul_tiled")
    code = ieee.code.replace(', input_precision="ieee"', "")
    assert code != ieee.code
    verdict = verify(ieee.task, code, ON_DEVICE, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("compile", "E8")
    allowed = ON_DEVICE.model_copy(update={"precision": "tf32"})
    assert verify(ieee.task, code, allowed, zygotes=zygotes).accepted
    large = ieee.task.model_copy(update={"source": LARGE_MATMUL})
    times = {}
    for precision in ("ieee", "tf32"):
        timed = allowed.model_copy(update={"precision": precision, "timing": True})
        verdict = verify(large, code if precision == "tf32" else ieee.code, timed, zygotes=zygotes)
        assert verdict.accepted
        assert verdict.timing is not None
        times[precision] = verdict.timing.baselines["eager"].device_us
    gain = times["ieee"] / times["tf32"]
    measured("the eager matmul of 2048 is faster under tf32 by", f"{gain:.1f}×", "more than 2×")
    assert gain > 2, "the baseline has the precision that the candidate is allowed"


LARGE_MATMUL = """import torch


def get_inputs():
    return [torch.randn(2048, 2048), torch.randn(2048, 2048)]


def fused_operator(tensor_0, tensor_1):
    return [tensor_0 @ tensor_1]
"""


def test_autotuned_kernels_choose_and_are_timed(zygotes: Zygotes):
    tuned = case("honest/any_softmax_autotune")
    verdict = verify(tuned.task, tuned.code, ON_DEVICE.model_copy(update={"timing": True}), zygotes=zygotes)
    assert verdict.accepted
    assert verdict.timing is not None


def test_compiled_baseline(zygotes: Zygotes, tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    norm = case("honest/layer_norm_row")
    both = ON_DEVICE.model_copy(update={"timing": True, "baseline": "both"})
    verdict = verify(norm.task, norm.code, both, zygotes=zygotes)
    assert verdict.timing is not None
    assert [*verdict.timing.baselines] == ["eager", "compile"]
    assert len(list((tmp_path / "tritonrl" / "baselines").iterdir())) == 1, "measured once, and kept"


BY_DEVICE = """import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
NUM_ROWS = 96 if torch.cuda.is_available() else 3


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        return torch.relu(self.norm(x))


def get_inputs():
    return [torch.randn(NUM_ROWS, 64{placed})]
"""


@pytest.mark.parametrize("placed", ["", ", device=DEVICE"])
def test_a_task_that_asks_for_a_gpu_is_seen_as_it_runs_there(placed: str, zygotes: Zygotes, tmp_path: Path):
    (tmp_path / "by_device.py").write_text(BY_DEVICE.replace("{placed}", placed))
    task = load_task(tmp_path / "by_device.py")
    zygotes.expect("cuda")
    assert capture_task(zygotes, task).program.inputs[0].shape == (96, 64)
    assert calls_of(zygotes, task).inputs == ("((96, 64), (64, 1), torch.float32)",)


def test_convolutions_in_float64_are_products(measured):
    read = torch.randn(16, 16, 28, 20, 5, dtype=torch.float64, device="cuda")
    weight = torch.randn(16, 8, 5, 4, 4, dtype=torch.float64, device="cuda")
    (expected, slow), (given, fast) = (
        run_timed(read, weight, mode) for mode in (contextlib.nullcontext(), ByProducts())
    )
    torch.testing.assert_close(given, expected)
    measured("a float64 conv_transpose3d by products is faster by", f"{slow / fast:.0f}×", "")


def run_timed(read: torch.Tensor, weight: torch.Tensor, mode: Any) -> tuple[torch.Tensor, float]:
    with mode:
        result = torch.conv_transpose3d(read, weight, stride=2)
        return result, device_seconds([lambda: torch.conv_transpose3d(read, weight, stride=2)] * 2)


def test_nothing_stays_on_the_device_after_a_verdict(zygotes: Zygotes):
    """Without a collector coming by: gigabytes would otherwise wait for one."""
    honest = case("honest/softmax_rows_one_block")
    wrong = honest.code.replace("tl.exp(", "tl.exp(1.01 * ")
    assert wrong != honest.code
    verify(honest.task, honest.code, ON_DEVICE, zygotes=zygotes)
    gc.collect()
    before = torch.cuda.memory_allocated()
    gc.disable()
    try:
        for code in (honest.code, wrong):
            verify(honest.task, code, ON_DEVICE, zygotes=zygotes)
        after = torch.cuda.memory_allocated()
    finally:
        gc.enable()
    assert after <= before
