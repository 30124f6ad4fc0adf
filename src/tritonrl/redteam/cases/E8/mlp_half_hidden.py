"""Perceptron that keeps its hidden layer in half precision between two kernels.

task: mlp
caught: compile, correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


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
        x = tl.load(x_ptr + rows[:, None] * num_in + ks[None, :], mask=x_mask, other=0.0).to(tl.float32)
        w = tl.load(weight_ptr + cols[None, :] * num_in + ks[:, None], mask=w_mask, other=0.0)
        acc += tl.dot(x, w, input_precision="ieee")
    acc += tl.load(bias_ptr + cols, mask=cols < num_out, other=0.0)[None, :]
    if GELU:
        acc = 0.5 * acc * (1.0 + tl.erf(acc * 0.7071067811865476))
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_out)
    tl.store(out_ptr + rows[:, None] * num_out + cols[None, :], acc, mask=mask)


def linear(x, layer, gelu, dtype):
    num_rows, num_in = x.shape
    num_out = layer.out_features
    out = torch.empty((num_rows, num_out), device=x.device, dtype=dtype)
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
        hidden = linear(x, self.fc1, True, torch.float16)
        return linear(hidden, self.fc2, False, x.dtype)
