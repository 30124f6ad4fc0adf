"""Logsumexp of one row per program, shifted by the maximum.

task: logsumexp_rows
"""

import torch
import triton
import triton.language as tl


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    top = tl.max(x, 0)
    tl.store(out_ptr + row, top + tl.log(tl.sum(tl.exp(x - top), 0)))


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    out = torch.empty(rows, dtype=tensor_0.dtype, device=tensor_0.device)
    logsumexp_kernel[(rows,)](tensor_0, out, cols, BLOCK=triton.next_power_of_2(cols), num_warps=1)
    return [out]
