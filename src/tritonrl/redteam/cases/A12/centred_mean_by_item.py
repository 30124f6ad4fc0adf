"""The mean of all of its input is torch's, handed to the kernel as a number.

task: centred
caught: faithful
"""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(x_ptr, out_ptr, mean, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=mask) - mean, mask=mask)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    mean = tensor_0.sum().item() / tensor_0.numel()
    shift_kernel[(triton.cdiv(out.numel(), 256),)](tensor_0, out, mean, out.numel(), BLOCK=256)
    return [out]
