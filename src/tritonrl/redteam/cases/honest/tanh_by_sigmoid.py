"""tanh by sigmoid, with an absolute error.

task: tanh
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < numel)
    tl.store(out_ptr + at, 2 * tl.sigmoid(2 * x) - 1, mask=at < numel)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    tanh_kernel[(triton.cdiv(numel, 512),)](tensor_0, out, numel, BLOCK=512)
    return [out]
