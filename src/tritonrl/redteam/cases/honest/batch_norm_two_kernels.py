"""Batch norm in two launches: statistics with the running update, then the normalised output.

task: batch_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def statistics_kernel(
    x_ptr,
    mean_ptr,
    rstd_ptr,
    running_mean_ptr,
    running_var_ptr,
    tracked_ptr,
    N,
    C,
    S,
    momentum,
    eps,
    BLOCK: tl.constexpr,
):
    channel = tl.program_id(0)
    count = N * S
    i = tl.arange(0, BLOCK)
    mask = i < count
    x = tl.load(x_ptr + (i // S) * C * S + channel * S + i % S, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / count
    d = tl.where(mask, x - mean, 0.0)
    m2 = tl.sum(d * d, axis=0)
    tl.store(mean_ptr + channel, mean)
    tl.store(rstd_ptr + channel, tl.rsqrt(m2 / count + eps))
    old_mean = tl.load(running_mean_ptr + channel)
    old_var = tl.load(running_var_ptr + channel)
    tl.store(running_mean_ptr + channel, old_mean * (1.0 - momentum) + mean * momentum)
    tl.store(running_var_ptr + channel, old_var * (1.0 - momentum) + m2 / (count - 1) * momentum)
    if channel == 0:
        tl.store(tracked_ptr, tl.load(tracked_ptr) + 1)


@triton.jit
def normalize_kernel(x_ptr, mean_ptr, rstd_ptr, w_ptr, b_ptr, y_ptr, size, C, S, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < size
    channel = (i // S) % C
    mean = tl.load(mean_ptr + channel, mask=mask, other=0.0)
    rstd = tl.load(rstd_ptr + channel, mask=mask, other=0.0)
    w = tl.load(w_ptr + channel, mask=mask, other=0.0)
    b = tl.load(b_ptr + channel, mask=mask, other=0.0)
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    tl.store(y_ptr + i, (x - mean) * rstd * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        norm = self.norm
        mean = torch.empty(C, dtype=torch.float32, device=x.device)
        rstd = torch.empty_like(mean)
        y = torch.empty_like(x)
        statistics_kernel[(C,)](
            x,
            mean,
            rstd,
            norm.running_mean,
            norm.running_var,
            norm.num_batches_tracked,
            N,
            C,
            H * W,
            norm.momentum,
            norm.eps,
            BLOCK=triton.next_power_of_2(N * H * W),
        )
        normalize_kernel[(triton.cdiv(x.numel(), 256),)](
            x, mean, rstd, norm.weight, norm.bias, y, x.numel(), C, H * W, BLOCK=256
        )
        return y
