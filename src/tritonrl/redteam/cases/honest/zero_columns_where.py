"""The kernel leaves the two columns out itself.

task: zero_columns
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tanh_kernel(x_ptr, out_ptr, n, num_cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    is_kept = (i % num_cols > 0) & (i % num_cols < num_cols - 1)
    tl.store(out_ptr + i, tl.where(is_kept, 2 * tl.sigmoid(2 * x) - 1, 0.0), mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    n, num_cols = out.numel(), out.shape[1]
    tanh_kernel[(triton.cdiv(n, 256),)](tensor_0, out, n, num_cols, BLOCK=256)
    return [out]
