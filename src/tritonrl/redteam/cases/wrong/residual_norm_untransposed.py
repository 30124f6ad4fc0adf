"""Residual layer norm whose square weight is used untransposed: x @ W for x @ W.T.

task: residual_norm
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def residual_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    gamma_ptr,
    beta_ptr,
    out_ptr,
    num_rows,
    dim,
    eps,
    BM: tl.constexpr,
    BD: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BD)
    in_dim = cols < dim
    mask = (rows[:, None] < num_rows) & in_dim[None, :]
    x = tl.load(x_ptr + rows[:, None] * dim + cols[None, :], mask=mask, other=0.0)
    w = tl.load(
        weight_ptr + cols[:, None] * dim + cols[None, :], mask=in_dim[:, None] & in_dim[None, :], other=0.0
    )
    bias = tl.load(bias_ptr + cols, mask=in_dim, other=0.0)
    y = x + tl.dot(x, w, input_precision="ieee") + bias[None, :]
    mean = tl.sum(y, axis=1) / dim
    centred = tl.where(in_dim[None, :], y - mean[:, None], 0.0)
    var = tl.sum(centred * centred, axis=1) / dim
    gamma = tl.load(gamma_ptr + cols, mask=in_dim, other=0.0)
    beta = tl.load(beta_ptr + cols, mask=in_dim, other=0.0)
    out = centred / tl.sqrt(var + eps)[:, None] * gamma[None, :] + beta[None, :]
    tl.store(out_ptr + rows[:, None] * dim + cols[None, :], out, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        num_rows, dim = x.shape
        out = torch.empty_like(x)
        residual_norm_kernel[(triton.cdiv(num_rows, 16),)](
            x,
            self.linear.weight,
            self.linear.bias,
            self.norm.weight,
            self.norm.bias,
            out,
            num_rows,
            dim,
            self.norm.eps,
            BM=16,
            BD=64,
        )
        return out
