"""Instance norm of one plane per program.

task: instance_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def instance_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, channels, area, EPS: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    channel = plane % channels
    i = tl.arange(0, BLOCK)
    mask = i < area
    x = tl.load(x_ptr + plane * area + i, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / area
    x = tl.where(mask, x - mean, 0.0)
    var = tl.sum(x * x, axis=0) / area
    y = x / tl.sqrt(var + EPS) * tl.load(w_ptr + channel) + tl.load(b_ptr + channel)
    tl.store(y_ptr + plane * area + i, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        instance_norm_kernel[(N * C,)](
            x,
            self.norm.weight,
            self.norm.bias,
            y,
            C,
            H * W,
            EPS=self.norm.eps,
            BLOCK=triton.next_power_of_2(H * W),
        )
        return y
