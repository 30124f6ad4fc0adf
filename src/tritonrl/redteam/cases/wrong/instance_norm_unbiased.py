"""Instance norm by the unbiased variance, n - 1 for n: one percent small.

task: instance_norm
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def instance_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, channels, size, eps, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    channel = plane % channels
    i = tl.arange(0, BLOCK)
    mask = i < size
    x = tl.load(x_ptr + plane * size + i, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / size
    centred = tl.where(mask, x - mean, 0.0)
    var = tl.sum(centred * centred, axis=0) / (size - 1)
    y = centred / tl.sqrt(var + eps) * tl.load(weight_ptr + channel) + tl.load(bias_ptr + channel)
    tl.store(out_ptr + plane * size + i, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        batch, channels, height, width = x.shape
        out = torch.empty_like(x)
        instance_norm_kernel[(batch * channels,)](
            x, self.norm.weight, self.norm.bias, out, channels, height * width, self.norm.eps, BLOCK=64
        )
        return out
