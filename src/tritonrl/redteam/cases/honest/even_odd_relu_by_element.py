"""Each element of the result knows the column that it comes from.

task: even_odd_relu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, width, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, col = i // width, i % width
    half = width // 2
    source = tl.where(col < half, 2 * col, 2 * (col - half) + 1)
    x = tl.load(x_ptr + row * width + source, mask=i < n, other=0.0)
    tl.store(y_ptr + i, tl.maximum(x, 0.0), mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    relu_kernel[(triton.cdiv(n, 256),)](tensor_0, out, n, out.shape[1], BLOCK=256)
    return [out]
