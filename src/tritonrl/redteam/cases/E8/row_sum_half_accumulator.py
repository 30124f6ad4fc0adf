"""Row sums accumulated in half precision.

task: row_sum
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float16)
    for start in range(0, num_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0).to(tl.float16)
    tl.store(out_ptr + row, tl.sum(acc.to(tl.float32), axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    row_sum_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=32)
    return [out]
