"""Takes a where a is zero or more, when the reference takes it above zero only.

task: where_leaky
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def leaky_kernel(a_ptr, b_ptr, out_ptr, numel, slope, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask)
    b = tl.load(b_ptr + at, mask=mask)
    tl.store(out_ptr + at, tl.where(a >= 0, a, b * slope), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    leaky_kernel[(triton.cdiv(numel, 256),)](tensor_0, tensor_1, out, numel, 0.1, BLOCK=256)
    return [out]
