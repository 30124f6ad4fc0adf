"""Matrix product whose K loop runs over whole tiles only: 48 of 53 terms.

task: matmul_odd
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * k + ks[None, :]
    b_ptrs = b_ptr + ks[:, None] * n + cols[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, k // BK):
        a = tl.load(a_ptrs, mask=rows[:, None] < m, other=0.0)
        b = tl.load(b_ptrs, mask=cols[None, :] < n, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
        a_ptrs += BK
        b_ptrs += BK * n
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    m, k = tensor_0.shape
    n = tensor_1.shape[1]
    out = torch.empty((m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    matmul_kernel[grid](tensor_0, tensor_1, out, m, n, k, BM=16, BN=16, BK=16)
    return [out]
