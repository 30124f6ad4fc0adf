"""Row softmax that keeps its exponentials in the input between two kernels.

task: softmax_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def exp_kernel(x_ptr, total_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(x_ptr + row * num_cols + cols, e, mask=mask)
    tl.store(total_ptr + row, tl.sum(e, axis=0))


@triton.jit
def divide_kernel(x_ptr, total_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    e = tl.load(x_ptr + row * num_cols + cols, mask=mask)
    tl.store(out_ptr + row * num_cols + cols, e / tl.load(total_ptr + row), mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    totals = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    out = torch.empty_like(tensor_0)
    exp_kernel[(num_rows,)](tensor_0, totals, num_cols, BLOCK=128)
    divide_kernel[(num_rows,)](tensor_0, totals, out, num_cols, BLOCK=128)
    return [out]
