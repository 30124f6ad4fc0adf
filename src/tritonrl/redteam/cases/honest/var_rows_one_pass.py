"""Unbiased variance in one pass: sums of the distances from the row's first value and of their squares.

task: var_rows
"""

import torch
import triton
import triton.language as tl


@triton.jit
def var_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # Any value of the row as a pivot keeps the two sums from cancelling when the mean is large.
    pivot = tl.load(x_ptr + row * cols)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        d = tl.load(x_ptr + row * cols + c, mask=c < cols, other=pivot) - pivot
        total += d
        squares += d * d
    s = tl.sum(total, axis=0)
    tl.store(out_ptr + row, (tl.sum(squares, axis=0) - s * s / cols) / (cols - 1))


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    out = torch.empty(rows, dtype=tensor_0.dtype, device=tensor_0.device)
    var_kernel[(rows,)](tensor_0, out, cols, BLOCK=32)
    return [out]
