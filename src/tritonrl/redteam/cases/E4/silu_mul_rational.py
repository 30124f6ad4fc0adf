"""SiLU by a rational approximation of tanh: four digits for small values, unbounded for large ones.

task: silu_mul
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def silu_mul_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask, other=0.0)
    b = tl.load(b_ptr + at, mask=mask, other=0.0)
    h = 0.5 * a
    s = h * h
    tanh = h * (945.0 + s * (105.0 + s)) / (945.0 + s * (420.0 + 15.0 * s))
    tl.store(out_ptr + at, a * (0.5 + 0.5 * tanh) * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    silu_mul_kernel[(triton.cdiv(numel, 256),)](tensor_0, tensor_1, out, numel, BLOCK=256)
    return [out]
