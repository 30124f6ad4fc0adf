"""Mean over windows, flat over the outputs; arguments are collected in a dictionary.

task: avg_pool2d
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def avg_pool2d_kernel(
    x_ptr, y_ptr, total, H, W, H_out, W_out, KERNEL: tl.constexpr, STRIDE: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    w = (i % W_out) * STRIDE
    h = (i // W_out % H_out) * STRIDE
    base = (i // (W_out * H_out)) * (H * W)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for dh in range(KERNEL):
        for dw in range(KERNEL):
            acc += tl.load(x_ptr + base + (h + dh) * W + w + dw, mask=mask, other=0.0)
    area: tl.constexpr = KERNEL * KERNEL
    tl.store(y_ptr + i, acc * (1.0 / area), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride):
        super().__init__()
        self.settings = {"KERNEL": kernel_size, "STRIDE": stride}

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        sizes = [(side - self.settings["KERNEL"]) // self.settings["STRIDE"] + 1 for side in (H, W)]
        y = x.new_empty((N, C, *sizes))
        arguments = {"x_ptr": x, "y_ptr": y, "total": y.numel(), "H": H, "W": W}
        avg_pool2d_kernel[(triton.cdiv(y.numel(), 64),)](
            **arguments, H_out=sizes[0], W_out=sizes[1], **self.settings, BLOCK=64
        )
        return y
