"""A mask that joins a block and a scalar condition.

task: any_rows
"""

import torch
import triton
import triton.language as tl


@triton.jit
def double_relu_kernel(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    mask = (col < cols) & (row < rows)
    x = tl.load(x_ptr + row * cols + col, mask=mask, other=0.0)
    tl.store(out_ptr + row * cols + col, tl.maximum(x, 0.0) * 2, mask=mask)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    double_relu_kernel[(rows,)](tensor_0, out, rows, cols, BLOCK=triton.next_power_of_2(cols))
    return [out]
