"""Variance over n where torch divides by n - 1: two percent low.

task: var_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / num_cols
    centred = tl.where(mask, x - mean, 0.0)
    tl.store(out_ptr + row, tl.sum(centred * centred, axis=0) / num_cols)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    var_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=64)
    return [out]
