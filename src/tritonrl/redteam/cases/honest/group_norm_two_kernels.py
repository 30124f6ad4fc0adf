"""Group norm in two launches: group statistics in chunks with a pivot, then the affine map.

task: group_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def group_statistics_kernel(x_ptr, mean_ptr, rstd_ptr, size, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    pivot = tl.load(x_ptr + pid * size)
    total = 0.0
    squares = 0.0
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.load(x_ptr + pid * size + i, mask=i < size, other=pivot) - pivot
        total += tl.sum(d, axis=0)
        squares += tl.sum(d * d, axis=0)
    shift = total / size
    tl.store(mean_ptr + pid, pivot + shift)
    tl.store(rstd_ptr + pid, 1.0 / tl.sqrt(squares / size - shift * shift + eps))


@triton.jit
def affine_kernel(
    x_ptr, mean_ptr, rstd_ptr, w_ptr, b_ptr, y_ptr, numel, channels, area, per_group, BLOCK: tl.constexpr
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < numel
    group = i // (area * per_group)
    channel = (i // area) % channels
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    mean = tl.load(mean_ptr + group, mask=mask, other=0.0)
    rstd = tl.load(rstd_ptr + group, mask=mask, other=0.0)
    w = tl.load(w_ptr + channel, mask=mask, other=0.0)
    b = tl.load(b_ptr + channel, mask=mask, other=0.0)
    tl.store(y_ptr + i, (x - mean) * rstd * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        N, C, H, W = x.shape
        groups = self.norm.num_groups
        mean = torch.empty((N, groups), dtype=torch.float32, device=x.device)
        rstd = torch.empty_like(mean)
        y = torch.empty_like(x)
        group_statistics_kernel[(N * groups,)](x, mean, rstd, C // groups * H * W, self.norm.eps, BLOCK=32)
        affine_kernel[(triton.cdiv(x.numel(), 256),)](
            x,
            mean,
            rstd,
            self.norm.weight,
            self.norm.bias,
            y,
            x.numel(),
            C,
            H * W,
            C // groups,
            BLOCK=256,
        )
        return y
