"""Lanes that are masked off have addresses far away, before and behind their tensors.

task: bell
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bell_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    i = tl.where(mask, i, i * 1000000 - 255500000)
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    tl.store(out_ptr + i, tl.exp(-x * x), mask=mask)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    bell_kernel[(triton.cdiv(n, 64),)](tensor_0, out, n, BLOCK=64)
    return [out]
