"""The total as a vector of one element, not a scalar.

task: total_sum
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def total_sum_kernel(x_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, numel, BLOCK):
        at = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + at, mask=at < numel, other=0.0)
    tl.store(out_ptr, tl.sum(acc, axis=0))


def triton_fused_operator(tensor_0):
    out = torch.empty(1, device=tensor_0.device, dtype=tensor_0.dtype)
    total_sum_kernel[(1,)](tensor_0, out, tensor_0.numel(), BLOCK=1024)
    return [out]
