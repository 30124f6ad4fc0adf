"""Twice the rectified input, flat, for any size.

task: any_rows
"""

import torch
import triton
import triton.language as tl


@triton.jit
def double_relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, tl.maximum(x, 0.0) * 2.0, mask=i < n)


def triton_fused_operator(tensor_0):
    x = tensor_0.contiguous()
    y = torch.empty_like(x)
    double_relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return [y]
