"""Depthwise convolution, flat over the outputs, with a static check of the window.

task: depthwise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def depthwise_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, total, channels, height, width, K: tl.constexpr, BLOCK: tl.constexpr
):
    tl.static_assert(K % 2 == 1, "the window has a centre")
    out_h = height - K + 1
    out_w = width - K + 1
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    col = i % out_w
    row = (i // out_w) % out_h
    plane = i // (out_w * out_h)
    channel = plane % channels
    acc = tl.load(b_ptr + channel, mask=mask, other=0.0)
    for t in tl.static_range(K * K):
        x = tl.load(
            x_ptr + plane * height * width + (row + t // K) * width + col + t % K, mask=mask, other=0.0
        )
        acc += x * tl.load(w_ptr + channel * (K * K) + t, mask=mask, other=0.0, eviction_policy="evict_last")
    tl.store(y_ptr + i, acc, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, groups=channels)

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        K = self.conv.kernel_size[0]
        y = torch.empty((N, C, H - K + 1, W - K + 1), dtype=x.dtype, device=x.device)
        depthwise_kernel[(triton.cdiv(y.numel(), 256),)](
            x, self.conv.weight, self.conv.bias, y, y.numel(), C, H, W, K=K, BLOCK=256
        )
        return y
