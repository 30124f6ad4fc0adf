"""Group norm: a program holds one group, whose values lie together in memory.

task: group_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def group_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, groups, per_group, area, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    size = per_group * area
    i = tl.arange(0, BLOCK)
    mask = i < size
    x = tl.load(x_ptr + pid * size + i, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / size
    d = tl.where(mask, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=0) / size + eps)
    channel = (pid % groups) * per_group + i // area
    w = tl.load(w_ptr + channel, mask=mask, other=0.0)
    b = tl.load(b_ptr + channel, mask=mask, other=0.0)
    tl.store(y_ptr + pid * size + i, d * rstd * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.groups = groups

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        per_group = C // self.groups
        y = torch.empty_like(x)
        group_norm_kernel[(N * self.groups,)](
            x,
            self.norm.weight,
            self.norm.bias,
            y,
            self.groups,
            per_group,
            H * W,
            self.norm.eps,
            BLOCK=triton.next_power_of_2(per_group * H * W),
        )
        return y
