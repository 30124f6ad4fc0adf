"""Convolution by a channel-last copy of the weight, made when the first input arrives and kept.

task: conv1d
caught: correct
"""

import functools

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
    BO: tl.constexpr,
    BLOCK: tl.constexpr,
):
    batch = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    outs = tl.arange(0, BO)
    in_outs = outs < OUT
    bias = tl.load(bias_ptr + outs, mask=in_outs, other=0.0)
    acc = tl.zeros((BO, BLOCK), dtype=tl.float32) + bias[:, None]
    for k in range(KERNEL):
        for c in range(IN):
            x = tl.load(x_ptr + (batch * IN + c) * length + at + k, mask=at < out_length, other=0.0)
            w = tl.load(weight_ptr + (outs * KERNEL + k) * IN + c, mask=in_outs, other=0.0)
            acc += w[:, None] * x[None, :]
    mask = in_outs[:, None] & (at[None, :] < out_length)
    tl.store(out_ptr + (batch * OUT + outs[:, None]) * out_length + at[None, :], acc, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size)

    @functools.cached_property
    def channel_last(self):
        return self.conv.weight.detach().transpose(1, 2).contiguous()

    def forward(self, x):
        batch, num_in, length = x.shape
        num_out, _, kernel = self.conv.weight.shape
        out_length = length - kernel + 1
        out = torch.empty((batch, num_out, out_length), device=x.device, dtype=x.dtype)
        conv1d_kernel[(batch,)](
            x,
            self.channel_last,
            self.conv.bias,
            out,
            length,
            out_length,
            IN=num_in,
            OUT=num_out,
            KERNEL=kernel,
            BO=8,
            BLOCK=64,
        )
        return out
