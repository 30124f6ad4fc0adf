"""Instance norm over a flat view of the planes, several planes to a tile; returns a view of its buffer.

task: instance_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def plane_norm_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, planes, area, channels, eps, P: tl.constexpr, A: tl.constexpr
):
    p = tl.program_id(0) * P + tl.arange(0, P)
    a = tl.arange(0, A)
    mask = (p[:, None] < planes) & (a[None, :] < area)
    offsets = p[:, None] * area + a[None, :]
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    mean = tl.sum(x, axis=1) / area
    d = tl.where(mask, x - mean[:, None], 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=1) / area + eps)
    w = tl.load(w_ptr + p % channels, mask=p < planes, other=0.0)
    b = tl.load(b_ptr + p % channels, mask=p < planes, other=0.0)
    tl.store(y_ptr + offsets, d * (rstd * w)[:, None] + b[:, None], mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        N, C, H, W = x.shape
        flat = x.contiguous().view(N * C, H * W)
        out = torch.empty_like(flat)
        plane_norm_kernel[(triton.cdiv(N * C, 4),)](
            flat,
            self.norm.weight,
            self.norm.bias,
            out,
            N * C,
            H * W,
            C,
            self.norm.eps,
            P=4,
            A=triton.next_power_of_2(H * W),
        )
        return out.view(N, C, H, W)
