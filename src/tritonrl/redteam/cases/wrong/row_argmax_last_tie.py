"""Row argmax that takes the last of equal maxima where torch takes the first.

task: row_argmax
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=-float("inf"))
    hit = mask & (x == tl.max(x, axis=0))
    best = tl.max(tl.where(hit, cols, -1), axis=0)
    tl.store(out_ptr + row, best.to(tl.int64))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=torch.int64)
    argmax_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=128)
    return [out]
