"""SiLU times the second input: four programs walk the data with a grid-sized stride.

task: silu_mul
"""

import torch
import triton
import triton.language as tl

PROGRAMS = 4


@triton.jit
def silu_mul_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    step = tl.num_programs(0) * BLOCK
    for start in range(tl.program_id(0) * BLOCK, n, step):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < n
        a = tl.load(a_ptr + offsets, mask=mask, other=0.0)
        b = tl.load(b_ptr + offsets, mask=mask, other=0.0)
        tl.store(out_ptr + offsets, a * tl.sigmoid(a) * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    silu_mul_kernel[(PROGRAMS,)](tensor_0, tensor_1, out, out.numel(), BLOCK=256)
    return [out]
