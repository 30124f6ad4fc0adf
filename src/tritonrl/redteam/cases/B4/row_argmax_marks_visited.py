"""Row argmax that overwrites the maximum it found with minus infinity.

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
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-float("inf"))
    best = tl.min(tl.where(x == tl.max(x, axis=0), cols, BLOCK), axis=0)
    tl.store(out_ptr + row, best.to(tl.int64))
    tl.store(x_ptr + row * num_cols + best, -float("inf"))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=torch.int64)
    argmax_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=128)
    return [out]
