"""Slopes stand in the code and are made once for each number of heads and each device, by a cached function.

task: distance_bias
"""

import functools

import torch
import triton
import triton.language as tl


@triton.jit
def biased_softmax_kernel(x_ptr, slope_ptr, out_ptr, num_heads, length, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    slope = tl.load(slope_ptr + row // length % num_heads)
    cols = tl.arange(0, BLOCK)
    mask = cols < length
    x = tl.load(x_ptr + row * length + cols, mask=mask, other=-float("inf"))
    x -= tl.abs(cols - row % length).to(tl.float32) * slope
    weights = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * length + cols, weights / tl.sum(weights, axis=0), mask=mask)


@functools.lru_cache
def slopes(num_heads, device):
    return torch.tensor([2.0 ** (-8.0 * (head + 1) / num_heads) for head in range(num_heads)], device=device)


def triton_fused_operator(tensor_0):
    batch, num_heads, length, _ = tensor_0.shape
    out = torch.empty_like(tensor_0)
    biased_softmax_kernel[(batch * num_heads * length,)](
        tensor_0, slopes(num_heads, tensor_0.device), out, num_heads, length, BLOCK=16
    )
    return [out]
