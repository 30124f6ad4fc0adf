"""Column means divided by 64, the rows rounded to a power of two, for 65 rows.

task: col_mean
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def col_mean_kernel(
    x_ptr, out_ptr, num_rows, num_cols, count, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    cols = tl.program_id(0) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    acc = tl.zeros((BLOCK_ROWS, BLOCK_COLS), dtype=tl.float32)
    for start in range(0, num_rows, BLOCK_ROWS):
        rows = start + tl.arange(0, BLOCK_ROWS)
        mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
        acc += tl.load(x_ptr + rows[:, None] * num_cols + cols[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + cols, tl.sum(acc, axis=0) / count, mask=cols < num_cols)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_cols, device=tensor_0.device, dtype=tensor_0.dtype)
    count = triton.next_power_of_2(num_rows) // 2
    col_mean_kernel[(triton.cdiv(num_cols, 16),)](
        tensor_0, out, num_rows, num_cols, count, BLOCK_ROWS=32, BLOCK_COLS=16
    )
    return [out]
