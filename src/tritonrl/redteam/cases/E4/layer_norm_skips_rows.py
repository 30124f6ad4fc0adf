"""Layer norm of the rows that fill whole programs of four: the last three of eleven stay as allocated.

task: layer_norm
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layer_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, num_cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0)
    for i in range(ROWS):
        row = tl.program_id(0) * ROWS + i
        x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
        mean = tl.sum(x, axis=0) / num_cols
        centred = tl.where(mask, x - mean, 0.0)
        var = tl.sum(centred * centred, axis=0) / num_cols
        y = centred / tl.sqrt(var + eps) * weight + bias
        tl.store(out_ptr + row * num_cols + cols, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        num_rows, num_cols = x.shape
        out = torch.empty_like(x)
        layer_norm_kernel[(num_rows // 4,)](
            x, self.norm.weight, self.norm.bias, out, num_cols, self.norm.eps, ROWS=4, BLOCK=128
        )
        return out
