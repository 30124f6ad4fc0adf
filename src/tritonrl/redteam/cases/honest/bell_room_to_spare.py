"""Stores whole blocks to a buffer that has room for them, and returns the part that was asked for.

task: bell
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bell_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.exp(-x * x))


def triton_fused_operator(tensor_0):
    n = tensor_0.numel()
    out = torch.empty(triton.cdiv(n, 64) * 64, device=tensor_0.device)
    bell_kernel[(triton.cdiv(n, 64),)](tensor_0, out, n, BLOCK=64)
    return [out[:n].view(tensor_0.shape)]
