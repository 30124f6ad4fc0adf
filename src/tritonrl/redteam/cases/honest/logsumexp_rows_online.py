"""Online logsumexp: per-lane maxima and sums along the row, merged at the end, in base two.

task: logsumexp_rows
"""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)
LN2 = tl.constexpr(0.6931471805599453)


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, rows, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    top = tl.full((R, C), -1.0e30, tl.float32)
    total = tl.zeros((R, C), tl.float32)
    for start in range(0, cols, C):
        c = start + tl.arange(0, C)
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=float("-inf"))
        higher = tl.maximum(top, x)
        total = total * tl.exp2((top - higher) * LOG2E) + tl.exp2((x - higher) * LOG2E)
        top = higher
    row_top = tl.max(top, axis=1)
    row_total = tl.sum(total * tl.exp2((top - row_top[:, None]) * LOG2E), axis=1)
    row_total = tl.where(r < rows, row_total, 1.0)
    tl.store(out_ptr + r, row_top + tl.log2(row_total) * LN2, mask=r < rows)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    out = torch.empty((rows,), dtype=torch.float32, device=tensor_0.device)
    logsumexp_kernel[(triton.cdiv(rows, 8),)](tensor_0, out, rows, cols, R=8, C=16)
    return [out]
