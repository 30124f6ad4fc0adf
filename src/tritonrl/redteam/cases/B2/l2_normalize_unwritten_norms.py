"""Divides by norms that no kernel wrote: the pass that should is launched for no rows.

task: l2_normalize
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x_ptr, norm_ptr, num_rows, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0)
    tl.store(norm_ptr + row, tl.sqrt(tl.sum(x * x, axis=0)), mask=row < num_rows)


@triton.jit
def divide_kernel(x_ptr, norm_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask)
    tl.store(out_ptr + row * num_cols + cols, x / tl.load(norm_ptr + row), mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    norms = torch.empty(num_rows, dtype=tensor_0.dtype, device=tensor_0.device)
    out = torch.empty_like(tensor_0)
    norm_kernel[(num_rows,)](tensor_0, norms, 0, num_cols, BLOCK=64)
    divide_kernel[(num_rows,)](tensor_0, norms, out, num_cols, BLOCK=64)
    return [out]
