"""Scaled dot products of rows, one row per program.

task: dot_scaled
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, cols, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row * cols + c, mask=c < cols, other=0.0)
    b = tl.load(b_ptr + row * cols + c, mask=c < cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(a * b, axis=0) * scale)


def triton_fused_operator(tensor_0, tensor_1):
    rows, cols = tensor_0.shape
    out = torch.empty(rows, dtype=tensor_0.dtype, device=tensor_0.device)
    dot_kernel[(rows,)](tensor_0, tensor_1, out, cols, 0.5, BLOCK=triton.next_power_of_2(cols))
    return [out]
