"""Column means from partial sums stored in half precision.

task: col_mean
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, part_ptr, num_rows, num_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    part = tl.program_id(0)
    rows = part * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    cols = tl.arange(0, BLOCK_COLS)
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
    x = tl.load(x_ptr + rows[:, None] * num_cols + cols[None, :], mask=mask, other=0.0)
    tl.store(part_ptr + part * num_cols + cols, tl.sum(x, axis=0), mask=cols < num_cols)


@triton.jit
def combine_kernel(part_ptr, out_ptr, num_parts, num_rows, num_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in range(num_parts):
        total += tl.load(part_ptr + part * num_cols + cols, mask=mask, other=0.0)
    tl.store(out_ptr + cols, total / num_rows, mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    num_parts = triton.cdiv(num_rows, 16)
    parts = torch.empty((num_parts, num_cols), device=tensor_0.device, dtype=torch.float16)
    out = torch.empty(num_cols, device=tensor_0.device, dtype=tensor_0.dtype)
    partial_kernel[(num_parts,)](tensor_0, parts, num_rows, num_cols, BLOCK_ROWS=16, BLOCK_COLS=32)
    combine_kernel[(1,)](parts, out, num_parts, num_rows, num_cols, BLOCK=32)
    return [out]
