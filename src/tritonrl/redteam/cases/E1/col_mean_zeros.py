"""Zeros: the column sums are scaled by an integer quotient that is nought.

task: col_mean
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def column_mean_kernel(
    x_ptr, out_ptr, num_rows, num_cols, scale, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    rows = tl.arange(0, BLOCK_ROWS)
    cols = tl.program_id(0) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
    x = tl.load(x_ptr + rows[:, None] * num_cols + cols[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + cols, tl.sum(x, axis=0) * scale, mask=cols < num_cols)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_cols, device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(num_cols, 16),)
    # 1 // n is 0: the integer division makes every mean a zero.
    scale = float(1 // num_rows)
    column_mean_kernel[grid](tensor_0, out, num_rows, num_cols, scale, BLOCK_ROWS=128, BLOCK_COLS=16)
    return [out]
