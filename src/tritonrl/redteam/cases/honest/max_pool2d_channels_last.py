"""The host lays the whole tensor out with channels last; the kernel takes the maximum over tiles of that.

task: max_pool2d
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def max_pool2d_kernel(x_ptr, y_ptr, size, C, H, W, H_out, W_out, K: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < size
    w = i % W_out
    h = (i // W_out) % H_out
    plane = i // (W_out * H_out)
    corner = ((plane // C * H + h * K) * W + w * K) * C + plane % C
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    for a in tl.static_range(K):
        for b in tl.static_range(K):
            x = tl.load(x_ptr + corner + (a * W + b) * C, mask=mask, other=float("-inf"))
            best = tl.maximum(best, x)
    tl.store(y_ptr + i, best, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, x):
        N, C, H, W = x.shape
        K = self.kernel_size
        last = x.permute(0, 2, 3, 1).contiguous()
        y = torch.empty((N, C, H // K, W // K), dtype=x.dtype, device=x.device)
        max_pool2d_kernel[(triton.cdiv(y.numel(), 128),)](
            last, y, y.numel(), C, H, W, H // K, W // K, K=K, BLOCK=128
        )
        return y
