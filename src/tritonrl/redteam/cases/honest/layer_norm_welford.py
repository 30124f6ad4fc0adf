"""Layer norm whose statistics are merged chunk by chunk, as Welford and Chan do.

task: layer_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def statistics(x_ptr, r, rows, cols, R: tl.constexpr, C: tl.constexpr):
    mean = tl.zeros((R,), tl.float32)
    m2 = tl.zeros((R,), tl.float32)
    for start in range(0, cols, C):
        c = start + tl.arange(0, C)
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0)
        count = tl.minimum(cols - start, C).to(tl.float32)
        chunk_mean = tl.sum(x, axis=1) / count
        d = tl.where(mask, x - chunk_mean[:, None], 0.0)
        delta = chunk_mean - mean
        seen = start + count
        mean += delta * (count / seen)
        m2 += tl.sum(d * d, axis=1) + delta * delta * (start * count / seen)
    return mean, m2 / cols


@triton.jit
def layer_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, rows, cols, eps, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    mean, var = statistics(x_ptr, r, rows, cols, R, C)
    rstd = tl.rsqrt(var + eps)
    for start in range(0, cols, C):
        c = start + tl.arange(0, C)
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0)
        w = tl.load(w_ptr + c, mask=c < cols, other=0.0)
        b = tl.load(b_ptr + c, mask=c < cols, other=0.0)
        y = (x - mean[:, None]) * rstd[:, None] * w[None, :] + b[None, :]
        tl.store(y_ptr + r[:, None] * cols + c[None, :], y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty_like(x)
        layer_norm_kernel[(triton.cdiv(rows, 4),)](
            x, self.norm.weight, self.norm.bias, y, rows, cols, self.norm.eps, R=4, C=32
        )
        return y
