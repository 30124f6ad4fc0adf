"""Reads one element beyond the end of its input; only the store is masked.

task: bell
caught: faithful
needs: interpreter
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bell_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.exp(-x * x), mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    bell_kernel[(triton.cdiv(n, 64),)](tensor_0, out, n, BLOCK=64)
    return [out]
