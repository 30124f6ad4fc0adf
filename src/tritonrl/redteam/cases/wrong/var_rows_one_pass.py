"""Variance as the mean square less the squared mean: no digits left when the mean is far from zero.

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
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0)
    total = tl.sum(x, axis=0)
    squares = tl.sum(x * x, axis=0)
    tl.store(out_ptr + row, (squares - total * total / num_cols) / (num_cols - 1))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    var_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=64)
    return [out]
