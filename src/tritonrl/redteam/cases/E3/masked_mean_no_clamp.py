"""Divides by the number of places that pass, and so by zero where none does.

task: masked_mean
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def masked_mean_kernel(x_ptr, mask_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < width
    x = tl.load(x_ptr + row * width + at, mask=inside, other=0.0)
    passes = tl.load(mask_ptr + row * width + at, mask=inside, other=0).to(tl.float32)
    count = tl.sum(passes, axis=0)
    tl.store(out_ptr + row, tl.sum(x * passes, axis=0) / count)


def triton_fused_operator(tensor_0, tensor_1):
    rows, width = tensor_0.shape
    out = torch.empty(rows, device=tensor_0.device, dtype=tensor_0.dtype)
    masked_mean_kernel[(rows,)](tensor_0, tensor_1, out, width, BLOCK=triton.next_power_of_2(width))
    return [out]
