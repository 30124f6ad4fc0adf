"""Tile maxima that start from -10: wrong for a tile that lies below it.

task: max_pool2d
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def max_pool_kernel(
    x_ptr, out_ptr, height, width, out_height, out_width, KERNEL: tl.constexpr, BLOCK: tl.constexpr
):
    plane = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < out_height * out_width
    row = i // out_width * KERNEL
    col = i % out_width * KERNEL
    best = tl.full((BLOCK,), -10.0, dtype=tl.float32)
    for dy in range(KERNEL):
        for dx in range(KERNEL):
            x = tl.load(x_ptr + (plane * height + row + dy) * width + col + dx, mask=mask, other=-10.0)
            best = tl.maximum(best, x)
    tl.store(out_ptr + plane * out_height * out_width + i, best, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, x):
        batch, channels, height, width = x.shape
        out_height, out_width = height // self.kernel_size, width // self.kernel_size
        out = torch.empty((batch, channels, out_height, out_width), device=x.device, dtype=x.dtype)
        max_pool_kernel[(batch * channels,)](
            x, out, height, width, out_height, out_width, KERNEL=self.kernel_size, BLOCK=64
        )
        return out
