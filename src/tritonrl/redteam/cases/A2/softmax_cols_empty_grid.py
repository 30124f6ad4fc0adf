"""Column softmax by torch, with its kernel launched on a grid of no programs.

task: softmax_cols
caught: compile
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, num_rows, num_cols, BLOCK: tl.constexpr):
    col = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    mask = rows < num_rows
    x = tl.load(x_ptr + rows * num_cols + col, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + rows * num_cols + col, e / tl.sum(e, axis=0), mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    e = torch.exp(tensor_0 - tensor_0.amax(0, keepdim=True))
    out = e / e.sum(0, keepdim=True)
    softmax_kernel[(0,)](tensor_0, out, num_rows, num_cols, BLOCK=64)
    return [out]
