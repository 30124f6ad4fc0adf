"""Row sums in two passes: partial sums of column chunks, then their sum.

task: row_sum
"""

import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, part_ptr, rows, cols, parts, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    part = tl.program_id(1)
    c = part * C + tl.arange(0, C)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0)
    tl.store(part_ptr + r * parts + part, tl.sum(x, axis=1), mask=r < rows)


@triton.jit
def finish_kernel(part_ptr, out_ptr, rows, parts, R: tl.constexpr, P: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    p = tl.arange(0, P)
    mask = (r[:, None] < rows) & (p[None, :] < parts)
    x = tl.load(part_ptr + r[:, None] * parts + p[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + r, tl.sum(x, axis=1), mask=r < rows)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    parts = triton.cdiv(cols, 32)
    partial = torch.empty((rows, parts), device=tensor_0.device)
    out = torch.empty((rows,), device=tensor_0.device)
    partial_kernel[(triton.cdiv(rows, 16), parts)](tensor_0, partial, rows, cols, parts, R=16, C=32)
    finish_kernel[(1,)](
        partial, out, rows, parts, R=triton.next_power_of_2(rows), P=triton.next_power_of_2(parts)
    )
    return [out]
