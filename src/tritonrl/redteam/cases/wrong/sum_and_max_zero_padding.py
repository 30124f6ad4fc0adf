"""Sum and maximum from one load padded with zeros: the maximum of an all-negative row becomes zero.

task: sum_and_max
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_max_kernel(x_ptr, sum_ptr, max_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=0.0)
    tl.store(sum_ptr + row, tl.sum(x, axis=0))
    tl.store(max_ptr + row, tl.max(x, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    sums = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    maxima = torch.empty_like(sums)
    sum_max_kernel[(num_rows,)](tensor_0, sums, maxima, num_cols, BLOCK=128)
    return [sums, maxima]
