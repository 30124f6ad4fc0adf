"""Linear layer that forgets its bias.

task: linear
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_kernel(
    x_ptr,
    weight_ptr,
    out_ptr,
    num_rows,
    num_in,
    num_out,
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
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_out)
    tl.store(out_ptr + rows[:, None] * num_out + cols[None, :], acc, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        num_rows, num_in = x.shape
        num_out = self.linear.out_features
        out = torch.empty((num_rows, num_out), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(num_rows, 16), triton.cdiv(num_out, 16))
        linear_kernel[grid](x, self.linear.weight, out, num_rows, num_in, num_out, BM=16, BN=16, BK=32)
        return out
