"""Sums and maxima stacked into one matrix: unpacks like the list of two, and is not one.

task: sum_and_max
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_max_kernel(x_ptr, out_ptr, num_rows, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=-float("inf"))
    tl.store(out_ptr + row, tl.sum(tl.where(mask, x, 0.0), axis=0))
    tl.store(out_ptr + num_rows + row, tl.max(x, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty((2, num_rows), device=tensor_0.device, dtype=tensor_0.dtype)
    sum_max_kernel[(num_rows,)](tensor_0, out, num_rows, num_cols, BLOCK=128)
    return out
