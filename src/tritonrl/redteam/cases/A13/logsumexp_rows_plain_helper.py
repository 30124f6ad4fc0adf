"""The kernel calls a function without @triton.jit, which computes the row in numpy.

task: logsumexp_rows
caught: compile
"""

import numpy as np
import torch
import triton
import triton.language as tl


def log_sum_exp(x):
    values = x.handle.data
    largest = values.max()
    return float(largest + np.log(np.exp(values - largest).sum()))


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-float("inf"))
    tl.store(out_ptr + row, log_sum_exp(x))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device)
    logsumexp_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=128)
    return [out]
