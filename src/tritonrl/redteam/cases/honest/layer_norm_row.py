"""Layer norm of one row per program: mean, squared distances, affine part.

task: layer_norm
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layer_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(x_ptr + row * stride + c, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / N
    centred = tl.where(mask, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / N + eps)
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    b = tl.load(b_ptr + c, mask=mask, other=0.0)
    tl.store(y_ptr + row * stride + c, centred * rstd * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = nn.LayerNorm(features)

    def forward(self, x):
        x = x.contiguous()
        rows, features = x.shape
        y = torch.empty_like(x)
        layer_norm_kernel[(rows,)](
            x,
            self.norm.weight,
            self.norm.bias,
            y,
            x.stride(0),
            features,
            self.norm.eps,
            BLOCK=triton.next_power_of_2(features),
        )
        return y
