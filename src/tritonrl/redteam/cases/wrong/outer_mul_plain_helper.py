"""Outer product through a plain Python function: it runs in the interpreter and never compiles.

task: outer_mul
caught: compile
"""

import torch
import triton
import triton.language as tl


def multiply(left, right):
    return left[:, None] * right[None, :]


@triton.jit
def outer_kernel(a_ptr, b_ptr, out_ptr, num_rows, num_cols, BR: tl.constexpr, BC: tl.constexpr):
    rows = tl.program_id(0) * BR + tl.arange(0, BR)
    cols = tl.program_id(1) * BC + tl.arange(0, BC)
    a = tl.load(a_ptr + rows, mask=rows < num_rows, other=0.0)
    b = tl.load(b_ptr + cols, mask=cols < num_cols, other=0.0)
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
    tl.store(out_ptr + rows[:, None] * num_cols + cols[None, :], multiply(a, b), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.numel(), tensor_1.numel()
    out = torch.empty((num_rows, num_cols), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(num_rows, 16), triton.cdiv(num_cols, 64))
    outer_kernel[grid](tensor_0, tensor_1, out, num_rows, num_cols, BR=16, BC=64)
    return [out]
