"""The verifier on a real device: the same verdicts, and what a candidate does to the GPU costs it alone."""

import pytest
import torch

from tests.redteam.test_matrix import in_words, one_of_each, some_honest
from tritonrl.redteam.corpus import corpus
from tritonrl.redteam.matrix import try_cases
from tritonrl.verify import Settings, Zygotes, verify

pytestmark = pytest.mark.gpu

ON_DEVICE = Settings(device="cuda", skip_layers=("lint",), total_seconds=20.0, call_seconds=20.0)
MORE_THAN_A_CONTEXT = 2**30


def case(name: str):
    (found,) = corpus((name,))
    return found


def test_cheats_are_caught_and_honest_kernels_accepted(zygotes: Zygotes):
    cases = [*one_of_each(), *some_honest()]
    outcomes = list(try_cases(cases, ON_DEVICE, zygotes=zygotes))
    assert [in_words(each) for each in outcomes if not each.is_right] == []


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


def test_tf32_is_rejected_under_ieee_and_accepted_where_it_is_allowed(zygotes: Zygotes):
    ieee = case("honest/matmul_tiled")
    code = ieee.code.replace(', input_precision="ieee"', "")
    assert code != ieee.code
    verdict = verify(ieee.task, code, ON_DEVICE, zygotes=zygotes)
    assert verdict.rejection is not None
    assert (verdict.rejection.layer, verdict.rejection.rule) == ("compile", "E8")
    assert verify(
        ieee.task, code, ON_DEVICE.model_copy(update={"precision": "tf32"}), zygotes=zygotes
    ).accepted
