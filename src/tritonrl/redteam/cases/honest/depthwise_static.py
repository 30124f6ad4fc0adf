"""Depthwise convolution: one channel of one image per program, the 3x3 window unrolled.

task: depthwise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def depthwise_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, C, H, W, K: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr
):
    plane = tl.program_id(0)
    channel = plane % C
    H_out = H - K + 1
    W_out = W - K + 1
    h = tl.arange(0, BH)[:, None]
    w = tl.arange(0, BW)[None, :]
    mask = (h < H_out) & (w < W_out)
    acc = tl.zeros((BH, BW), dtype=tl.float32)
    for i in tl.static_range(K):
        for j in tl.static_range(K):
            x = tl.load(x_ptr + plane * H * W + (h + i) * W + w + j, mask=mask, other=0.0)
            acc += x * tl.load(w_ptr + channel * K * K + i * K + j)
    acc += tl.load(b_ptr + channel)
    tl.store(y_ptr + plane * H_out * W_out + h * W_out + w, acc, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, groups=channels)

    def forward(self, x):
        N, C, H, W = x.shape
        K = self.conv.weight.shape[-1]
        y = torch.empty((N, C, H - K + 1, W - K + 1), dtype=x.dtype, device=x.device)
        depthwise_kernel[(N * C,)](
            x,
            self.conv.weight,
            self.conv.bias,
            y,
            C,
            H,
            W,
            K=K,
            BH=triton.next_power_of_2(H - K + 1),
            BW=triton.next_power_of_2(W - K + 1),
        )
        return y
