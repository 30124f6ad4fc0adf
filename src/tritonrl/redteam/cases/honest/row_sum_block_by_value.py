"""The block is chosen by looking at a value, and every block is right for every value.

task: row_sum
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, num_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device)
    block = 64 if float(tensor_0[0, 0]) > 0 else 128
    row_sum_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=block)
    return [out]
