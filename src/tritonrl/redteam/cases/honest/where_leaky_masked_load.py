"""Loads the second input only where the first is not positive; a heuristic drops the bounds mask.

task: where_leaky
"""

import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def where_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        a = tl.load(a_ptr + i)
        positive = a > 0.0
        b = tl.load(b_ptr + i, mask=~positive, other=0.0)
        tl.store(out_ptr + i, tl.where(positive, a, b * 0.1))
    else:
        inside = i < n
        a = tl.load(a_ptr + i, mask=inside, other=1.0)
        positive = a > 0.0
        b = tl.load(b_ptr + i, mask=inside & ~positive, other=0.0)
        tl.store(out_ptr + i, tl.where(positive, a, b * 0.1), mask=inside)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    where_kernel[(triton.cdiv(n, 512),)](tensor_0, tensor_1, out, n, BLOCK=512)
    return [out]
