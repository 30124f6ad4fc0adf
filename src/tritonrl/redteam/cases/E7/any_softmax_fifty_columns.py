"""Softmax whose mask and stride know the one width of 50.

task: any_softmax
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, numel, COLS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    at = row * COLS + cols
    mask = (cols < COLS) & (at < numel)
    x = tl.load(x_ptr + at, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + at, e / tl.sum(e, axis=0), mask=mask)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    softmax_kernel[(triton.cdiv(numel, 50),)](tensor_0, out, numel, COLS=50, BLOCK=64)
    return [out]
