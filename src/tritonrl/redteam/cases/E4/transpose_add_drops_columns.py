"""Transposed sum over whole groups of four columns: the last column of the output is b alone.

task: transpose_add
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_add_kernel(a_ptr, b_ptr, out_ptr, num_rows, num_cols, full, BR: tl.constexpr, BC: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    cols = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
    b = tl.load(b_ptr + rows[:, None] * num_cols + cols[None, :], mask=mask, other=0.0)
    a_mask = mask & (cols[None, :] < full)
    a = tl.load(a_ptr + cols[None, :] * num_rows + rows[:, None], mask=a_mask, other=0.0)
    tl.store(out_ptr + rows[:, None] * num_cols + cols[None, :], a + b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_1.shape
    out = torch.empty_like(tensor_1)
    grid = (triton.cdiv(num_rows, 16), triton.cdiv(num_cols, 16))
    full = num_cols // 4 * 4
    transpose_add_kernel[grid](tensor_0, tensor_1, out, num_rows, num_cols, full, BR=16, BC=16)
    return [out]
