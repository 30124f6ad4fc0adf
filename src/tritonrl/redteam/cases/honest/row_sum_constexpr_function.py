"""Sums rows in blocks whose width plain Python works out from constants, while the kernel is compiled.

task: row_sum
"""

import torch
import triton
import triton.language as tl

WIDEST = tl.constexpr(64)


@triton.constexpr_function
def width(n_cols, narrowest=16):
    """The smallest power of two that takes a whole row, within bounds."""
    found = narrowest
    while found < n_cols and found < WIDEST:
        found *= 2
    return found


@triton.constexpr_function
def num_blocks(n_cols):
    return triton.cdiv(n_cols, width(n_cols))


@triton.jit
def row_sum_kernel(x_ptr, output_ptr, N_COLS: tl.constexpr):
    row = tl.program_id(axis=0)
    BLOCK: tl.constexpr = width(N_COLS)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for block in tl.static_range(num_blocks(N_COLS)):
        cols = block * BLOCK + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * N_COLS + cols, mask=cols < N_COLS, other=0.0)
    tl.store(output_ptr + row, tl.sum(total, axis=0))


def triton_fused_operator(tensor_0):
    n_rows, n_cols = tensor_0.shape
    output = torch.empty((n_rows,), device=tensor_0.device, dtype=tensor_0.dtype)
    row_sum_kernel[(n_rows,)](tensor_0, output, N_COLS=n_cols)
    return [output]
