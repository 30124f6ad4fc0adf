"""The right product wrapped in a Parameter, a subclass of the tensor asked for.

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
    tl.store(out_ptr + at, a / (1.0 + tl.exp(-a)) * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.nn.Parameter(torch.empty_like(tensor_0), requires_grad=False)
    numel = out.numel()
    silu_mul_kernel[(triton.cdiv(numel, 256),)](tensor_0, tensor_1, out, numel, BLOCK=256)
    return [out]
