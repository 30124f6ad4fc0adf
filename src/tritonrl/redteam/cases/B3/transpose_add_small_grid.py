"""The grid is counted in blocks of 1,024 and a program writes 32: most of the output is never written.

task: transpose_add
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_add_kernel(a_ptr, b_ptr, out_ptr, num_rows, num_cols, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < num_rows * num_cols
    row = at // num_cols
    col = at % num_cols
    a = tl.load(a_ptr + col * num_rows + row, mask=mask)
    tl.store(out_ptr + at, a + tl.load(b_ptr + at, mask=mask), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_1.shape
    out = torch.empty_like(tensor_1)
    grid = (triton.cdiv(out.numel(), 1024),)
    transpose_add_kernel[grid](tensor_0, tensor_1, out, num_rows, num_cols, BLOCK=32)
    return [out]
