"""A total of the numbers rounded to bfloat16.

task: total_sum
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def total_sum_kernel(x_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, numel, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < numel, other=0.0)
        total += tl.sum(x.to(tl.bfloat16).to(tl.float32), axis=0)
    tl.store(out_ptr, total)


def triton_fused_operator(tensor_0):
    out = torch.empty((), device=tensor_0.device, dtype=tensor_0.dtype)
    total_sum_kernel[(1,)](tensor_0, out, tensor_0.numel(), BLOCK=1024)
    return [out]
