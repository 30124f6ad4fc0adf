"""A scan in one program, with room for as many numbers as there are.

task: ragged_cumsum
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < numel, other=0)
    tl.store(y_ptr + at, tl.cumsum(x, axis=0), mask=at < numel)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    cumsum_kernel[(1,)](tensor_0, out, numel, BLOCK=triton.next_power_of_2(numel))
    return [out]
