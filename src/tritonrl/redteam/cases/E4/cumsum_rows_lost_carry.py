"""Running sums in chunks of 32 that carry the last chunk's total only: right for the first 64 columns.

task: cumsum_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    carry = 0.0
    for start in range(0, num_cols, BLOCK):
        cols = start + lanes
        mask = cols < num_cols
        x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
        running = tl.cumsum(x, axis=0)
        tl.store(out_ptr + row * num_cols + cols, running + carry, mask=mask)
        carry = tl.sum(tl.where(lanes == BLOCK - 1, running, 0.0), axis=0)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    cumsum_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=32)
    return [out]
