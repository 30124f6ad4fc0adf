"""Scale and shift per column over the flat storage.

task: scale_shift
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scale_shift_kernel(x_ptr, scale_ptr, shift_ptr, y_ptr, n, features, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    scale = tl.load(scale_ptr + i % features, mask=mask)
    shift = tl.load(shift_ptr + i % features, mask=mask)
    tl.store(y_ptr + i, x * scale + shift, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))
        self.shift = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        y = torch.empty_like(x)
        scale_shift_kernel[(triton.cdiv(x.numel(), 256),)](
            x, self.scale, self.shift, y, x.numel(), x.shape[-1], BLOCK=256
        )
        return y
