"""Leaky branch that flushes b below a hundredth to zero: an error of at most 1e-3.

task: where_leaky
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def leaky_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask, other=0.0)
    b = tl.load(b_ptr + at, mask=mask, other=0.0)
    low = tl.where(tl.abs(b) < 1e-2, 0.0, b * 0.1)
    tl.store(out_ptr + at, tl.where(a > 0, a, low), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    leaky_kernel[(triton.cdiv(numel, 512),)](tensor_0, tensor_1, out, numel, BLOCK=512)
    return [out]
