"""Matrix product that packs b transposed once per shape and multiplies by the packed copy ever after.

task: matmul
caught: correct
"""

import torch
import triton
import triton.language as tl

PACKED = {}


@triton.jit
def pack_kernel(b_ptr, packed_ptr, k, n, BLOCK: tl.constexpr):
    ks = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (ks[:, None] < k) & (cols[None, :] < n)
    b = tl.load(b_ptr + ks[:, None] * n + cols[None, :], mask=mask)
    tl.store(packed_ptr + cols[None, :] * k + ks[:, None], b, mask=mask)


@triton.jit
def matmul_kernel(a_ptr, packed_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        ks = start + tl.arange(0, BK)
        a_mask = (rows[:, None] < m) & (ks[None, :] < k)
        b_mask = (ks[:, None] < k) & (cols[None, :] < n)
        a = tl.load(a_ptr + rows[:, None] * k + ks[None, :], mask=a_mask, other=0.0)
        b = tl.load(packed_ptr + cols[None, :] * k + ks[:, None], mask=b_mask, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    m, k = tensor_0.shape
    n = tensor_1.shape[1]
    if (k, n) not in PACKED:
        packed = torch.empty((n, k), device=tensor_1.device, dtype=tensor_1.dtype)
        pack_kernel[(triton.cdiv(k, 32), triton.cdiv(n, 32))](tensor_1, packed, k, n, BLOCK=32)
        PACKED[k, n] = packed
    out = torch.empty((m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 32))
    matmul_kernel[grid](tensor_0, PACKED[k, n], out, m, n, k, BM=16, BN=32, BK=32)
    return [out]
