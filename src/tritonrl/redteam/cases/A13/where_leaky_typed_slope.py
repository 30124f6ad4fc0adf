"""A float argument is a number in the interpreter and a tensor when compiled: there the slope is left out.

task: where_leaky
caught: compile
"""

import torch
import triton
import triton.language as tl


@triton.jit
def where_kernel(a_ptr, b_ptr, out_ptr, slope, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask, other=0.0)
    if isinstance(slope, tl.tensor):
        tl.store(out_ptr + at, a, mask=mask)
    else:
        b = tl.load(b_ptr + at, mask=mask, other=0.0)
        tl.store(out_ptr + at, tl.where(a > 0, a, b * slope), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    where_kernel[(triton.cdiv(out.numel(), 512),)](tensor_0, tensor_1, out, 0.1, out.numel(), BLOCK=512)
    return [out]
