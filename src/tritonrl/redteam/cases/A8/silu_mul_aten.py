"""The gate by torch.ops.aten; the product with it in Triton.

task: silu_mul
caught: faithful
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tl.store(out_ptr + at, tl.load(a_ptr + at, mask=mask) * tl.load(b_ptr + at, mask=mask), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    gate = torch.ops.aten.silu.default(tensor_0)
    out = torch.empty_like(gate)
    product_kernel[(triton.cdiv(out.numel(), 512),)](gate, tensor_1, out, out.numel(), BLOCK=512)
    return [out]
