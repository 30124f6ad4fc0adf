"""Column softmax without subtracting the maximum: overflows above 88.

task: softmax_cols
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
    e = tl.exp(tl.load(x_ptr + at, mask=mask, other=-float("inf")))
    tl.store(out_ptr + at, e / tl.sum(e, axis=0)[None, :], mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(num_cols, 32),)
    softmax_kernel[grid](tensor_0, out, num_rows, num_cols, BLOCK_ROWS=64, BLOCK_COLS=32)
    return [out]
