"""Sums and maxima as two slices of one workspace that all calls share.

task: sum_and_max
caught: correct
"""

import functools

import torch
import triton
import triton.language as tl


@functools.lru_cache
def workspace(num_rows, device):
    return torch.empty((2, num_rows), device=device, dtype=torch.float32)


@triton.jit
def sum_max_kernel(x_ptr, out_ptr, num_rows, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))
    tl.store(out_ptr + num_rows + row, tl.max(tl.where(mask, x, -float("inf")), axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = workspace(num_rows, tensor_0.device)
    sum_max_kernel[(num_rows,)](tensor_0, out, num_rows, num_cols, BLOCK=128)
    return [out[0], out[1]]
