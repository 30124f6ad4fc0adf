"""Row maximum of all columns but the last: right in 89 rows of 90.

task: row_max
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_max_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    highest = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    for start in range(0, num_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols - 1, other=-float("inf"))
        highest = tl.maximum(highest, x)
    tl.store(out_ptr + row, tl.max(highest, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    row_max_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=32)
    return [out]
