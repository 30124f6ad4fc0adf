"""Adds bfloat16 up in float32.

task: row_sum_bf16
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0).to(tl.float32)
    tl.store(out_ptr + row, tl.sum(x, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, dtype=tensor_0.dtype, device=tensor_0.device)
    row_sum_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=2048)
    return [out]
