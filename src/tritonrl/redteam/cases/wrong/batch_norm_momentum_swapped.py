"""Batch norm that keeps a tenth of the running statistics and takes nine tenths of the batch's.

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
    y = centred / tl.sqrt(squares / count + eps) * tl.load(weight_ptr + channel) + tl.load(bias_ptr + channel)
    tl.store(out_ptr + at, y, mask=mask)
    old_mean = tl.load(mean_ptr + channel)
    old_var = tl.load(var_ptr + channel)
    tl.store(mean_ptr + channel, momentum * old_mean + (1.0 - momentum) * mean)
    tl.store(var_ptr + channel, momentum * old_var + (1.0 - momentum) * squares / (count - 1))


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        norm = self.norm
        batch, channels, height, width = x.shape
        out = torch.empty_like(x)
        norm.num_batches_tracked.add_(1)
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
