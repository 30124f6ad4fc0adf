"""A bfloat16 product that adds its 64 terms up in bfloat16.

task: matmul_bf16
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.bfloat16)
    for i in range(k):
        a = tl.load(a_ptr + rows * k + i, mask=rows < m, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + i * n + cols, mask=cols < n, other=0.0).to(tl.float32)
        acc = (acc.to(tl.float32) + a[:, None] * b[None, :]).to(tl.bfloat16)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    m, k = tensor_0.shape
    n = tensor_1.shape[1]
    out = torch.empty((m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 64))
    matmul_kernel[grid](tensor_0, tensor_1, out, m, n, k, BM=32, BN=64)
    return [out]
