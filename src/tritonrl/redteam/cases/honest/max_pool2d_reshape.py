"""Maximum over 2x2 tiles: pairs of rows are folded, then a view splits the columns into pairs.

task: max_pool2d
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def pool_pairs_kernel(x_ptr, y_ptr, out_rows, W, R: tl.constexpr, C: tl.constexpr):
    # Planes have even height, so that all images and channels are one tall stack of row pairs.
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    mask = (r[:, None] < out_rows) & (c[None, :] < W)
    upper = tl.load(x_ptr + (2 * r[:, None]) * W + c[None, :], mask=mask, other=float("-inf"))
    lower = tl.load(x_ptr + (2 * r[:, None] + 1) * W + c[None, :], mask=mask, other=float("-inf"))
    pairs = tl.reshape(tl.maximum(upper, lower), (R, C // 2, 2))
    half = tl.arange(0, C // 2)
    out_mask = (r[:, None] < out_rows) & (half[None, :] < W // 2)
    tl.store(y_ptr + r[:, None] * (W // 2) + half[None, :], tl.max(pairs, axis=2), mask=out_mask)


class ModelNew(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        if kernel_size != 2:
            raise ValueError(f"this kernel folds pairs, not {kernel_size}")

    def forward(self, x):
        N, C, H, W = x.shape
        if H % 2 or W % 2:
            raise ValueError("height and width have to be even")
        y = torch.empty((N, C, H // 2, W // 2), dtype=x.dtype, device=x.device)
        out_rows = N * C * (H // 2)
        pool_pairs_kernel[(triton.cdiv(out_rows, 8),)](x, y, out_rows, W, R=8, C=triton.next_power_of_2(W))
        return y
