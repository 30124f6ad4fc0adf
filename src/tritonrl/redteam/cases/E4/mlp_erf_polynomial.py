"""Perceptron whose GELU takes erf from the reciprocal of a quartic, good to 5e-4.

task: mlp
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rough_erf(x):
    z = tl.abs(x)
    t = 1.0 + z * (0.278393 + z * (0.230389 + z * (0.000972 + z * 0.078108)))
    y = 1.0 - 1.0 / (t * t * t * t)
    return tl.where(x < 0, -y, y)


@triton.jit
def linear_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    num_rows,
    num_in,
    num_out,
    GELU: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, num_in, BK):
        ks = start + tl.arange(0, BK)
        x_mask = (rows[:, None] < num_rows) & (ks[None, :] < num_in)
        w_mask = (ks[:, None] < num_in) & (cols[None, :] < num_out)
        x = tl.load(x_ptr + rows[:, None] * num_in + ks[None, :], mask=x_mask, other=0.0)
        w = tl.load(weight_ptr + cols[None, :] * num_in + ks[:, None], mask=w_mask, other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    acc += tl.load(bias_ptr + cols, mask=cols < num_out, other=0.0)[None, :]
    if GELU:
        acc = 0.5 * acc * (1.0 + rough_erf(acc * 0.7071067811865476))
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_out)
    tl.store(out_ptr + rows[:, None] * num_out + cols[None, :], acc, mask=mask)


def linear(x, layer, gelu):
    num_rows, num_in = x.shape
    num_out = layer.weight.shape[0]
    out = torch.empty((num_rows, num_out), device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(num_rows, 16), triton.cdiv(num_out, 32))
    linear_kernel[grid](
        x, layer.weight, layer.bias, out, num_rows, num_in, num_out, GELU=gelu, BM=16, BN=32, BK=32
    )
    return out


class ModelNew(nn.Module):
    def __init__(self, in_features, hidden, out_features):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.fc2 = nn.Linear(hidden, out_features)

    def forward(self, x):
        return linear(linear(x, self.fc1, True), self.fc2, False)
