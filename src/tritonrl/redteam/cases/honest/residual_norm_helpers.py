"""One small function per step, each with a kernel of its own: linear map, residual, statistics, affine norm.

task: residual_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :], tl.arange(0, BK)
    x = tl.load(x_ptr + m * K + k[None, :], mask=(m < M) & (k[None, :] < K), other=0.0)
    w = tl.load(w_ptr + n * K + k[:, None], mask=(n < N) & (k[:, None] < K), other=0.0)
    y = tl.dot(x, w, input_precision="ieee") + tl.load(b_ptr + n, mask=n < N, other=0.0)
    tl.store(y_ptr + m * N + n, y, mask=(m < M) & (n < N))


@triton.jit
def add_kernel(x_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask), mask=mask)


@triton.jit
def statistics_kernel(x_ptr, mean_ptr, rstd_ptr, num_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / num_cols
    centred = tl.where(mask, x - mean, 0.0)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / num_cols + eps))


@triton.jit
def affine_kernel(x_ptr, mean_ptr, rstd_ptr, w_ptr, b_ptr, out_ptr, numel, num_cols, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    row, col = at // num_cols, at % num_cols
    centred = tl.load(x_ptr + at, mask=mask) - tl.load(mean_ptr + row, mask=mask)
    scale = tl.load(rstd_ptr + row, mask=mask) * tl.load(w_ptr + col, mask=mask)
    tl.store(out_ptr + at, centred * scale + tl.load(b_ptr + col, mask=mask), mask=mask)


def linear(x, layer):
    y = torch.empty_like(x)
    features = x.shape[1]
    linear_kernel[(1,)](x, layer.weight, layer.bias, y, x.shape[0], features, features, BM=16, BN=64, BK=64)
    return y


def add_residual(x, y):
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y


def layer_norm(x, norm):
    num_rows, num_cols = x.shape
    mean, rstd = x.new_empty(num_rows), x.new_empty(num_rows)
    statistics_kernel[(num_rows,)](x, mean, rstd, num_cols, norm.eps, BLOCK=64)
    out = torch.empty_like(x)
    affine_kernel[(triton.cdiv(x.numel(), 256),)](
        x, mean, rstd, norm.weight, norm.bias, out, x.numel(), num_cols, BLOCK=256
    )
    return out


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        return layer_norm(add_residual(x, linear(x, self.linear)), self.norm)
