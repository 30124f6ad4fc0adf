"""Transposed tile plus a straight tile, turned inside the kernel with tl.trans.

task: transpose_add
"""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_add_kernel(a_ptr, b_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    # a is (cols, rows): a coalesced load gives the tile the wrong way round.
    a = tl.load(
        a_ptr + c[:, None] * rows + r[None, :], mask=(c[:, None] < cols) & (r[None, :] < rows), other=0.0
    )
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    b = tl.load(b_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + r[:, None] * cols + c[None, :], tl.trans(a) + b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    rows, cols = tensor_1.shape
    out = torch.empty_like(tensor_1)
    grid = (triton.cdiv(rows, 16), triton.cdiv(cols, 16))
    transpose_add_kernel[grid](tensor_0, tensor_1, out, rows, cols, BLOCK=16)
    return [out]
