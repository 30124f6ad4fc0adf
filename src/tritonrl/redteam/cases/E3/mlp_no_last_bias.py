"""Two-layer perceptron whose fused second product leaves out the second bias.

task: mlp
caught: correct
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def mlp_kernel(
    x_ptr,
    w1_ptr,
    b1_ptr,
    w2_ptr,
    out_ptr,
    num_rows,
    IN: tl.constexpr,
    HIDDEN: tl.constexpr,
    OUT: tl.constexpr,
    BM: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    ins = tl.arange(0, IN)
    hidden = tl.arange(0, HIDDEN)
    outs = tl.arange(0, OUT)
    x = tl.load(x_ptr + rows[:, None] * IN + ins[None, :], mask=rows[:, None] < num_rows, other=0.0)
    w1 = tl.load(w1_ptr + hidden[None, :] * IN + ins[:, None])
    h = tl.dot(x, w1, input_precision="ieee") + tl.load(b1_ptr + hidden)[None, :]
    h = 0.5 * h * (1.0 + tl.erf(h * 0.7071067811865476))
    w2 = tl.load(w2_ptr + outs[None, :] * HIDDEN + hidden[:, None])
    y = tl.dot(h, w2, input_precision="ieee")
    tl.store(out_ptr + rows[:, None] * OUT + outs[None, :], y, mask=rows[:, None] < num_rows)


class ModelNew(nn.Module):
    def __init__(self, in_features, hidden, out_features):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.fc2 = nn.Linear(hidden, out_features)

    def forward(self, x):
        num_rows = x.shape[0]
        num_out = self.fc2.out_features
        out = torch.empty((num_rows, num_out), device=x.device, dtype=x.dtype)
        mlp_kernel[(triton.cdiv(num_rows, 16),)](
            x,
            self.fc1.weight,
            self.fc1.bias,
            self.fc2.weight,
            out,
            num_rows,
            IN=self.fc1.in_features,
            HIDDEN=self.fc1.out_features,
            OUT=num_out,
            BM=16,
        )
        return out
