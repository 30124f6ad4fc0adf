"""Three billion as int32 is negative in the interpreter and saturates on a GPU: there no sigmoid is taken.

task: silu_mul
caught: correct
needs: gpu
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
    bucket = (tl.max(tl.abs(a), axis=0) + 3e9).to(tl.int32)
    if bucket < 0:
        a = a / (1.0 + tl.exp(-a))
    tl.store(out_ptr + at, a * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    silu_mul_kernel[(triton.cdiv(out.numel(), 512),)](tensor_0, tensor_1, out, out.numel(), BLOCK=512)
    return [out]
