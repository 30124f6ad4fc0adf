"""(b - a) / c where (a - b) / c was asked for.

task: sub_div
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sub_div_kernel(a_ptr, b_ptr, c_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask)
    b = tl.load(b_ptr + at, mask=mask)
    c = tl.load(c_ptr + at, mask=mask, other=1.0)
    tl.store(out_ptr + at, tl.div_rn(a - b, c), mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    out = torch.empty_like(tensor_0)
    numel = tensor_0.numel()
    sub_div_kernel[(triton.cdiv(numel, 256),)](tensor_1, tensor_0, tensor_2, out, numel, BLOCK=256)
    return [out]
