"""A maximum that is started from the least number of float16, in a task of float32: rows below it are lost.

task: row_max
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_max_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-65504.0)
    tl.store(out_ptr + row, tl.max(x, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    row_max_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=triton.next_power_of_2(num_cols))
    return [out]
