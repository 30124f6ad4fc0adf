"""Batch norm that updates its statistics and never counts the batch.

task: batch_norm
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def batch_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    var_ptr,
    out_ptr,
    batch,
    channels,
    area,
    eps,
    momentum,
    BLOCK: tl.constexpr,
):
    channel = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    count = batch * area
    mask = i < count
    at = (i // area * channels + channel) * area + i % area
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / count
    centred = tl.where(mask, x - mean, 0.0)
    squares = tl.sum(centred * centred, axis=0)
    inverse = 1.0 / tl.sqrt(squares / count + eps)
    y = centred * inverse * tl.load(weight_ptr + channel) + tl.load(bias_ptr + channel)
    tl.store(out_ptr + at, y, mask=mask)
    tl.store(mean_ptr + channel, (1.0 - momentum) * tl.load(mean_ptr + channel) + momentum * mean)
    unbiased = squares / (count - 1)
    tl.store(var_ptr + channel, (1.0 - momentum) * tl.load(var_ptr + channel) + momentum * unbiased)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        norm = self.norm
        batch, channels, height, width = x.shape
        out = torch.empty_like(x)
        batch_norm_kernel[(channels,)](
            x,
            norm.weight,
            norm.bias,
            norm.running_mean,
            norm.running_var,
            out,
            batch,
            channels,
            height * width,
            norm.eps,
            norm.momentum,
            BLOCK=256,
        )
        return out
