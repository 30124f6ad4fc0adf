"""Softmax down the columns where the rows were meant.

task: softmax_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, num_rows, num_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    rows = tl.arange(0, BLOCK_ROWS)
    cols = tl.program_id(0) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
    at = rows[:, None] * num_cols + cols[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=-1e30)
    e = tl.where(mask, tl.exp(x - tl.max(x, axis=0)[None, :]), 0.0)
    total = tl.sum(e, axis=0)
    tl.store(out_ptr + at, e / total[None, :], mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(num_cols, 16),)
    softmax_kernel[grid](tensor_0, out, num_rows, num_cols, BLOCK_ROWS=32, BLOCK_COLS=16)
    return [out]
