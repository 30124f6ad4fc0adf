"""Window maxima over a list comprehension of loads, which only the interpreter can run.

task: max_pool1d
caught: compile
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
    taps = [tl.load(at + tap, mask=mask, other=-float("inf")) for tap in range(3)]
    best = tl.maximum(tl.maximum(taps[0], taps[1]), taps[2])
    tl.store(out_ptr + row * out_length + i, best, mask=mask)


def triton_fused_operator(tensor_0):
    batch, channels, length = tensor_0.shape
    out_length = (length - 3) // 2 + 1
    out = torch.empty((batch, channels, out_length), device=tensor_0.device, dtype=tensor_0.dtype)
    max_pool_kernel[(batch * channels,)](tensor_0, out, length, out_length, BLOCK=16)
    return [out]
