"""The side stream waits for the inputs, as it should; the caller's stream does not wait for the result.

task: linear
caught: correct, timing
needs: gpu
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def linear_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, num_rows, num_in, num_out):
    for row in range(num_rows):
        for col in range(num_out):
            total = tl.load(bias_ptr + col)
            for k in range(num_in):
                x = tl.load(x_ptr + row * num_in + k, volatile=True)
                total += x * tl.load(weight_ptr + col * num_in + k)
            tl.store(out_ptr + row * num_out + col, total)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.side = None

    def forward(self, x):
        if self.side is None:
            self.side = torch.cuda.Stream(x.device)
        layer, (num_rows, num_in) = self.linear, x.shape
        out = torch.empty((num_rows, layer.out_features), device=x.device, dtype=x.dtype)
        self.side.wait_stream(torch.cuda.current_stream(x.device))
        with torch.cuda.stream(self.side):
            linear_kernel[(1,)](
                x, layer.weight, layer.bias, out, num_rows, num_in, layer.out_features, num_warps=1
            )
        return out
