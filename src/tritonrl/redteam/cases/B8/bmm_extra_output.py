"""The batched product with an extra tensor behind it.

task: bmm
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_mask = (rows[:, None] < m) & (ks[None, :] < k)
    b_mask = (ks[:, None] < k) & (cols[None, :] < n)
    a = tl.load(a_ptr + batch * m * k + rows[:, None] * k + ks[None, :], mask=a_mask, other=0.0)
    b = tl.load(b_ptr + batch * k * n + ks[:, None] * n + cols[None, :], mask=b_mask, other=0.0)
    c = tl.dot(a, b, input_precision="ieee")
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(c_ptr + batch * m * n + rows[:, None] * n + cols[None, :], c, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    batch, m, k = tensor_0.shape
    n = tensor_1.shape[2]
    out = torch.empty((batch, m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16), batch)
    bmm_kernel[grid](tensor_0, tensor_1, out, m, n, k, BM=16, BN=16, BK=32)
    return [out, tensor_0.new_empty(0)]
