"""The library's linear layers around a GELU of its own, the erf form in one pass.

task: mlp
policy: hybrid
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gelu_kernel(x_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    tl.store(out_ptr + at, 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476)), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, in_features, hidden, out_features):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.fc2 = nn.Linear(hidden, out_features)

    def forward(self, x):
        hidden = self.fc1(x)
        activated = torch.empty_like(hidden)
        gelu_kernel[(triton.cdiv(hidden.numel(), 512),)](hidden, activated, hidden.numel(), BLOCK=512)
        return self.fc2(activated)
