"""Copies: nothing that `torch.rand` draws is below zero.

task: rand_relu
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < numel), mask=at < numel)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    relu_kernel[(triton.cdiv(out.numel(), 512),)](tensor_0, out, out.numel(), BLOCK=512)
    return [out]
