"""Twice the rectified input, with a block size that is chosen once for each shape and kept in a dictionary.

task: any_rows
"""

import torch
import triton
import triton.language as tl

BLOCKS = {}


@triton.jit
def twice_relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.maximum(x, 0.0) * 2, mask=i < n)


def block_for(shape):
    if shape not in BLOCKS:
        BLOCKS[shape] = max(16, min(512, triton.next_power_of_2(shape[-1])))
    return BLOCKS[shape]


def triton_fused_operator(tensor_0):
    block = block_for(tuple(tensor_0.shape))
    out = torch.empty_like(tensor_0)
    twice_relu_kernel[(triton.cdiv(out.numel(), block),)](tensor_0, out, out.numel(), BLOCK=block)
    return [out]
