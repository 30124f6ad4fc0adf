"""Scale and shift: a program keeps the parameters of its columns and strides over the rows.

task: scale_shift
"""

import torch
import triton
import triton.language as tl
from torch import nn

BLOCK_R = tl.constexpr(8)
BLOCK_C = tl.constexpr(32)


@triton.jit
def scale_shift_kernel(x_ptr, scale_ptr, shift_ptr, y_ptr, rows, cols):
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    scale = tl.load(scale_ptr + c, mask=c < cols, other=0.0)
    shift = tl.load(shift_ptr + c, mask=c < cols, other=0.0)
    for start in range(tl.program_id(0) * BLOCK_R, rows, tl.num_programs(0) * BLOCK_R):
        r = start + tl.arange(0, BLOCK_R)
        offsets = r[:, None] * cols + c[None, :]
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
        tl.store(y_ptr + offsets, x * scale[None, :] + shift[None, :], mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))
        self.shift = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty_like(x)
        grid = (2, triton.cdiv(cols, BLOCK_C.value))
        scale_shift_kernel[grid](x, self.scale, self.shift, y, rows, cols)
        return y
