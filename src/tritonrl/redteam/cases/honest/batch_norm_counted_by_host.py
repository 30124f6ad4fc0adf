"""Batch norm in one launch; the host counts the batches, as PyTorch's own layer does.

task: batch_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def lerp(old, new, share):
    return old + (new - old) * share


@triton.jit
def batch_norm_kernel(
    x_ptr,
    w_ptr,
    b_ptr,
    y_ptr,
    running_mean_ptr,
    running_var_ptr,
    batch,
    channels,
    area,
    MOMENTUM: tl.constexpr,
    EPS: tl.constexpr,
    BATCH: tl.constexpr,
    AREA: tl.constexpr,
):
    channel = tl.program_id(0)
    n = tl.arange(0, BATCH)[:, None]
    s = tl.arange(0, AREA)[None, :]
    offsets = (n * channels + channel) * area + s
    mask = (n < batch) & (s < area)
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    count = (batch * area).to(tl.float32)
    mean = tl.sum(x) / count
    d = tl.where(mask, x - mean, 0.0)
    squares = tl.sum(d * d)
    scale = tl.load(w_ptr + channel) / tl.sqrt(squares / count + EPS)
    tl.store(y_ptr + offsets, d * scale + tl.load(b_ptr + channel), mask=mask)

    tl.store(running_mean_ptr + channel, lerp(tl.load(running_mean_ptr + channel), mean, MOMENTUM))
    unbiased = squares / (count - 1.0)
    tl.store(running_var_ptr + channel, lerp(tl.load(running_var_ptr + channel), unbiased, MOMENTUM))


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        batch, channels, height, width = x.shape
        y = torch.empty_like(x)
        batch_norm_kernel[(channels,)](
            x,
            self.norm.weight,
            self.norm.bias,
            y,
            self.norm.running_mean,
            self.norm.running_var,
            batch,
            channels,
            height * width,
            MOMENTUM=self.norm.momentum,
            EPS=self.norm.eps,
            BATCH=triton.next_power_of_2(batch),
            AREA=triton.next_power_of_2(height * width),
        )
        self.norm.num_batches_tracked += 1
        return y
