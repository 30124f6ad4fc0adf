"""A sum in one program, with a loop over as many numbers as there are.

task: ragged_total
"""

import torch
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.int64)
    for start in range(0, numel, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at, mask=at < numel, other=0)
    tl.store(out_ptr, tl.sum(total, axis=0))


def triton_fused_operator(tensor_0):
    out = torch.empty((), dtype=torch.int64, device=tensor_0.device)
    total_kernel[(1,)](tensor_0, out, tensor_0.numel(), BLOCK=512)
    return [out]
