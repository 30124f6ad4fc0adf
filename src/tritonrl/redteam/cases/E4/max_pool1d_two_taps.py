"""Window maxima of the first two of three taps, with the third only where the window is odd.

task: max_pool1d
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def max_pool_kernel(x_ptr, out_ptr, length, out_length, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < out_length
    at = x_ptr + row * length + 2 * i
    best = tl.maximum(tl.load(at, mask=mask), tl.load(at + 1, mask=mask))
    third = tl.load(at + 2, mask=mask & (i % 2 == 1), other=-float("inf"))
    tl.store(out_ptr + row * out_length + i, tl.maximum(best, third), mask=mask)


def triton_fused_operator(tensor_0):
    batch, channels, length = tensor_0.shape
    out_length = (length - 3) // 2 + 1
    out = torch.empty((batch, channels, out_length), device=tensor_0.device, dtype=tensor_0.dtype)
    max_pool_kernel[(batch * channels,)](tensor_0, out, length, out_length, BLOCK=16)
    return [out]
