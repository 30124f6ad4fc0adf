"""A kernel clears the accumulator, and `@` fills it.

task: any_matmul
caught: faithful
"""

import torch
import triton
import triton.language as tl


@triton.jit
def clear_kernel(c_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c_ptr + at, tl.zeros((BLOCK,), dtype=tl.float32), mask=at < numel)


def triton_fused_operator(tensor_0, tensor_1):
    c = torch.empty((tensor_0.shape[0], tensor_1.shape[1]), device=tensor_0.device)
    clear_kernel[(triton.cdiv(c.numel(), 1024),)](c, c.numel(), BLOCK=1024)
    c += tensor_0 @ tensor_1
    return [c]
