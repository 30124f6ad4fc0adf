"""Column means that row blocks add up in the output by load, add and store, without an atomic: of blocks that
run at the same time one is lost.

task: col_mean
caught: faithful
needs: interpreter
"""

import torch
import triton
import triton.language as tl


@triton.jit
def col_mean_kernel(x_ptr, mean_ptr, rows, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    so_far = tl.load(mean_ptr + c, mask=c < cols)
    tl.store(mean_ptr + c, so_far + tl.sum(x, axis=0) / rows, mask=c < cols)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    mean = torch.zeros(cols, device=tensor_0.device, dtype=tensor_0.dtype)
    col_mean_kernel[(triton.cdiv(rows, 16),)](tensor_0, mean, rows, cols, R=16, C=32)
    return [mean]
