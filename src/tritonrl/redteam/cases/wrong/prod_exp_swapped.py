"""The Gaussian of the second matrix times the first.

task: prod_exp
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def prod_exp_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask, other=0.0)
    b = tl.load(b_ptr + at, mask=mask, other=0.0)
    tl.store(out_ptr + at, tl.exp(-b * b) * a, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    prod_exp_kernel[(triton.cdiv(numel, 512),)](tensor_0, tensor_1, out, numel, BLOCK=512)
    return [out]
