"""Matrix product into an output cached by shape.

task: any_matmul
caught: correct
"""

import torch
import triton
import triton.language as tl

OUTPUTS = {}


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        ks = start + tl.arange(0, BK)
        a_mask = (rows[:, None] < m) & (ks[None, :] < k)
        b_mask = (ks[:, None] < k) & (cols[None, :] < n)
        a = tl.load(a_ptr + rows[:, None] * k + ks[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + ks[:, None] * n + cols[None, :], mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    m, k = tensor_0.shape
    n = tensor_1.shape[1]
    key = (m, n, tensor_0.dtype)
    if key not in OUTPUTS:
        OUTPUTS[key] = torch.empty((m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    out = OUTPUTS[key]
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    matmul_kernel[grid](tensor_0, tensor_1, out, m, n, k, BM=32, BN=32, BK=16)
    return [out]
