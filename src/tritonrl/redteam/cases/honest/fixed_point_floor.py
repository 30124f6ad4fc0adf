"""Rounds by adding a half and cutting off.

task: fixed_point
"""

import torch
import triton
import triton.language as tl


@triton.jit
def fixed_kernel(x_ptr, near_ptr, fixed_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    near = tl.sigmoid(tl.load(x_ptr + i, mask=i < n, other=0.0)) + 0.5
    tl.store(near_ptr + i, near, mask=i < n)
    tl.store(fixed_ptr + i, tl.floor(near * 1073741824.0 + 0.5).to(tl.int32), mask=i < n)


def triton_fused_operator(tensor_0):
    near = torch.empty_like(tensor_0)
    fixed = torch.empty(tensor_0.shape, dtype=torch.int32, device=tensor_0.device)
    n = near.numel()
    fixed_kernel[(triton.cdiv(n, 256),)](tensor_0, near, fixed, n, BLOCK=256)
    return [near, fixed]
