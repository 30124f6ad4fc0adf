"""The host copies what the pool takes; the kernel has the sigmoid left.

task: every_other
caught: faithful
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sigmoid_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.sigmoid(tl.load(x_ptr + i, mask=i < n, other=0.0)), mask=i < n)


def triton_fused_operator(tensor_0):
    picked = tensor_0[:, :, ::2, ::2].contiguous()
    out = torch.empty_like(picked)
    n = out.numel()
    sigmoid_kernel[(triton.cdiv(n, 128),)](picked, out, n, BLOCK=128)
    return [out]
