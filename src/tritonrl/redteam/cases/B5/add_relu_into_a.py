"""Adds and rectifies in place: the output is the first input.

task: add_relu
caught: correct
"""

import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    total = tl.load(a_ptr + at, mask=mask) + tl.load(b_ptr + at, mask=mask)
    tl.store(a_ptr + at, tl.maximum(total, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    numel = tensor_0.numel()
    add_relu_kernel[(triton.cdiv(numel, 512),)](tensor_0, tensor_1, numel, BLOCK=512)
    return [tensor_0]
