"""Outer product as an elementwise product of two views with a stride of zero.

task: outer_mul
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply_kernel(a_ptr, b_ptr, out_ptr, n, cols, a_s0, a_s1, b_s0, b_s1, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    row = i // cols
    col = i % cols
    a = tl.load(a_ptr + row * a_s0 + col * a_s1, mask=mask, other=0.0)
    b = tl.load(b_ptr + row * b_s0 + col * b_s1, mask=mask, other=0.0)
    tl.store(out_ptr + i, a * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    rows, cols = tensor_0.shape[0], tensor_1.shape[0]
    a = tensor_0.as_strided((rows, cols), (tensor_0.stride(0), 0))
    b = tensor_1.expand(rows, cols)
    out = torch.empty((rows, cols), dtype=a.dtype, device=a.device)
    multiply_kernel[(triton.cdiv(rows * cols, 512),)](
        a, b, out, rows * cols, cols, *a.stride(), *b.stride(), BLOCK=512
    )
    return [out]
