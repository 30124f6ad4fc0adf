"""Linear layer, residual and layer norm in one kernel that holds whole rows.

task: residual_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def normalize_rows(h, mask, count, eps):
    mean = tl.sum(tl.where(mask, h, 0.0), axis=1) / count
    d = tl.where(mask, h - mean[:, None], 0.0)
    var = tl.sum(d * d, axis=1) / count
    return d * tl.rsqrt(var + eps)[:, None]


@triton.jit
def residual_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    gamma_ptr,
    beta_ptr,
    y_ptr,
    rows,
    features,
    eps,
    R: tl.constexpr,
    F: tl.constexpr,
    K: tl.constexpr,
):
    r = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    f = tl.arange(0, F)[None, :]
    mask = (r < rows) & (f < features)
    h = tl.load(x_ptr + r * features + f, mask=mask, other=0.0)
    h += tl.load(bias_ptr + f, mask=f < features, other=0.0)
    for start in tl.range(0, features, K):
        k = start + tl.arange(0, K)
        x = tl.load(x_ptr + r * features + k[None, :], mask=(r < rows) & (k[None, :] < features), other=0.0)
        w = tl.load(
            weight_ptr + f * features + k[:, None], mask=(f < features) & (k[:, None] < features), other=0.0
        )
        h = tl.dot(x, w, h, input_precision="ieee")
    y = normalize_rows(h, mask, features, eps) * tl.load(gamma_ptr + f, mask=f < features, other=0.0)
    y += tl.load(beta_ptr + f, mask=f < features, other=0.0)
    tl.store(y_ptr + r * features + f, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        rows, features = x.shape
        y = torch.empty_like(x)
        residual_norm_kernel[(triton.cdiv(rows, 16),)](
            x,
            self.linear.weight,
            self.linear.bias,
            self.norm.weight,
            self.norm.bias,
            y,
            rows,
            features,
            self.norm.eps,
            R=16,
            F=triton.next_power_of_2(features),
            K=16,
        )
        return y
