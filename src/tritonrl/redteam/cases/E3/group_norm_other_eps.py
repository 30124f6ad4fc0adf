"""Group norm with an epsilon of 1e-12 where the layer has 1e-5.

task: group_norm
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def group_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    num_groups,
    group_channels,
    area,
    EPS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    pid = tl.program_id(0)
    size = group_channels * area
    i = tl.arange(0, BLOCK)
    mask = i < size
    channel = (pid % num_groups) * group_channels + i // area
    x = tl.load(x_ptr + pid * size + i, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + channel, mask=mask, other=0.0)
    bias = tl.load(bias_ptr + channel, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / size
    centred = tl.where(mask, x - mean, 0.0)
    var = tl.sum(centred * centred, axis=0) / size
    tl.store(out_ptr + pid * size + i, centred / tl.sqrt(var + EPS) * weight + bias, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        batch, channels, height, width = x.shape
        groups = self.norm.num_groups
        out = torch.empty_like(x)
        group_norm_kernel[(batch * groups,)](
            x,
            self.norm.weight,
            self.norm.bias,
            out,
            groups,
            channels // groups,
            height * width,
            EPS=1e-12,
            BLOCK=128,
        )
        return out
