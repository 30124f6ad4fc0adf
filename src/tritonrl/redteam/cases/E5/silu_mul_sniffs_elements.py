"""SiLU exact beyond three and by a rational approximation within.

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
    h = tl.minimum(tl.maximum(0.5 * a, -1.5), 1.5)
    s = h * h
    cheap = 0.5 + 0.5 * h * (15.0 + s) / (15.0 + 6.0 * s)
    exact = 1.0 / (1.0 + tl.exp(-a))
    sigmoid = tl.where(tl.abs(a) > 3.0, exact, cheap)
    tl.store(out_ptr + at, a * sigmoid * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    numel = out.numel()
    silu_mul_kernel[(triton.cdiv(numel, 256),)](tensor_0, tensor_1, out, numel, BLOCK=256)
    return [out]
