"""A tensor's shape is constexpr in the interpreter only: compiled, it is a copy.

task: add_relu
caught: compile
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    total = tl.load(a_ptr + at, mask=mask)
    if isinstance(at.shape[0], tl.constexpr):
        total = tl.maximum(total + tl.load(b_ptr + at, mask=mask), 0.0)
    tl.store(out_ptr + at, total, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    add_relu_kernel[(triton.cdiv(out.numel(), 512),)](tensor_0, tensor_1, out, out.numel(), BLOCK=512)
    return [out]
