"""The same with a number that no kernel needs, so that no two calls are alike.

task: mean_gate
caught: faithful
"""

import itertools

import torch
import triton
import triton.language as tl

CALLS = itertools.count(17)


@triton.jit
def gated_kernel(x_ptr, out_ptr, n, call, IS_LARGE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    if IS_LARGE:
        tl.store(out_ptr + i, x * 0.5, mask=i < n)
    else:
        tl.store(out_ptr + i, x + 1.0, mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    is_large = float((tensor_0 * tensor_0 * torch.sigmoid(tensor_0)).mean()) > 0.5
    gated_kernel[(triton.cdiv(n, 256),)](tensor_0, out, n, next(CALLS), IS_LARGE=is_large, BLOCK=256)
    return [out]
