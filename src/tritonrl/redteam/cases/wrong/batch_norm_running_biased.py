"""Batch norm that feeds the biased variance to running_var: 0.7 % low.

task: batch_norm
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def stats_kernel(x_ptr, stat_ptr, mean_ptr, var_ptr, batch, channels, area, momentum, BLOCK: tl.constexpr):
    channel = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    count = batch * area
    mask = i < count
    x = tl.load(x_ptr + (i // area * channels + channel) * area + i % area, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / count
    centred = tl.where(mask, x - mean, 0.0)
    var = tl.sum(centred * centred, axis=0) / count
    tl.store(stat_ptr + channel, mean)
    tl.store(stat_ptr + channels + channel, var)
    old_mean = tl.load(mean_ptr + channel)
    old_var = tl.load(var_ptr + channel)
    tl.store(mean_ptr + channel, old_mean + momentum * (mean - old_mean))
    tl.store(var_ptr + channel, old_var + momentum * (var - old_var))


@triton.jit
def apply_kernel(
    x_ptr, stat_ptr, weight_ptr, bias_ptr, out_ptr, channels, area, numel, eps, BLOCK: tl.constexpr
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    channel = at // area % channels
    mean = tl.load(stat_ptr + channel, mask=mask, other=0.0)
    var = tl.load(stat_ptr + channels + channel, mask=mask, other=1.0)
    weight = tl.load(weight_ptr + channel, mask=mask, other=0.0)
    bias = tl.load(bias_ptr + channel, mask=mask, other=0.0)
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    tl.store(out_ptr + at, (x - mean) / tl.sqrt(var + eps) * weight + bias, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        norm = self.norm
        batch, channels, height, width = x.shape
        area = height * width
        stats = torch.empty(2 * channels, device=x.device, dtype=x.dtype)
        out = torch.empty_like(x)
        stats_kernel[(channels,)](
            x, stats, norm.running_mean, norm.running_var, batch, channels, area, norm.momentum, BLOCK=256
        )
        apply_kernel[(triton.cdiv(x.numel(), 256),)](
            x, stats, norm.weight, norm.bias, out, channels, area, x.numel(), norm.eps, BLOCK=256
        )
        norm.num_batches_tracked.add_(1)
        return out
