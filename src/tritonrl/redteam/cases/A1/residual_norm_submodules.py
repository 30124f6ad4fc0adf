"""The linear map and the norm by their modules; between them a kernel adds the residual.

task: residual_norm
caught: faithful
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    total = tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask)
    tl.store(out_ptr + at, total, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        total = torch.empty_like(x)
        add_kernel[(triton.cdiv(x.numel(), 256),)](x, self.linear(x), total, x.numel(), BLOCK=256)
        return self.norm(total)
