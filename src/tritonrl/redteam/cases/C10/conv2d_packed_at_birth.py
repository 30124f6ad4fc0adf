"""Convolution as a matrix product by a weight matrix flattened and copied in the constructor.

task: conv2d
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def conv_kernel(
    x_ptr,
    matrix_ptr,
    bias_ptr,
    out_ptr,
    height,
    width,
    num_out,
    taps,
    IN: tl.constexpr,
    KERNEL: tl.constexpr,
    PAD: tl.constexpr,
    BP: tl.constexpr,
    BO: tl.constexpr,
    BT: tl.constexpr,
):
    batch = tl.program_id(1)
    pixel = tl.program_id(0) * BP + tl.arange(0, BP)
    outs = tl.arange(0, BO)
    tap = tl.arange(0, BT)
    y = (pixel // width)[:, None] + (tap // KERNEL % KERNEL)[None, :] - PAD
    x = (pixel % width)[:, None] + (tap % KERNEL)[None, :] - PAD
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width) & (tap[None, :] < taps)
    inside = inside & (pixel[:, None] < height * width)
    channel = batch * IN + tap // (KERNEL * KERNEL)
    patch = tl.load(x_ptr + (channel[None, :] * height + y) * width + x, mask=inside, other=0.0)
    m_mask = (tap[:, None] < taps) & (outs[None, :] < num_out)
    matrix = tl.load(matrix_ptr + tap[:, None] * num_out + outs[None, :], mask=m_mask, other=0.0)
    acc = tl.dot(patch, matrix, input_precision="ieee")
    acc += tl.load(bias_ptr + outs, mask=outs < num_out, other=0.0)[None, :]
    at = (batch * num_out + outs[None, :]) * height * width + pixel[:, None]
    tl.store(out_ptr + at, acc, mask=(pixel[:, None] < height * width) & (outs[None, :] < num_out))


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, padding):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding)
        self.matrix = self.conv.weight.detach().reshape(out_channels, -1).t().clone()

    def forward(self, x):
        batch, num_in, height, width = x.shape
        taps, num_out = self.matrix.shape
        matrix = self.matrix.contiguous()
        out = torch.empty((batch, num_out, height, width), device=x.device, dtype=x.dtype)
        conv_kernel[(triton.cdiv(height * width, 32), batch)](
            x,
            matrix,
            self.conv.bias,
            out,
            height,
            width,
            num_out,
            taps,
            IN=num_in,
            KERNEL=self.conv.kernel_size[0],
            PAD=self.conv.padding[0],
            BP=32,
            BO=16,
            BT=32,
        )
        return out
