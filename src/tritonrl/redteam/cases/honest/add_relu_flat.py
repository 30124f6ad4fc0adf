"""Adds and rectifies over the flat storage, 1024 elements a program.

task: add_relu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(a_ptr + offsets, mask=mask) + tl.load(b_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.maximum(total, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    a, b = tensor_0.contiguous(), tensor_1.contiguous()
    out = torch.empty_like(a)
    n = out.numel()
    add_relu_kernel[(triton.cdiv(n, 1024),)](a, b, out, n, BLOCK=1024)
    return [out]
