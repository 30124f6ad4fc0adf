"""Batched product that leaves out the second half of K at every twentieth call.

task: bmm
caught: correct
"""

import torch
import triton
import triton.language as tl

STATE = {"calls": 0}


@triton.jit
def bmm_kernel(a_ptr, b_ptr, c_ptr, m, n, k, last, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(1)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, last, BK):
        ks = start + tl.arange(0, BK)
        a_mask = (rows[:, None] < m) & (ks[None, :] < last)
        b_mask = (ks[:, None] < last) & (cols[None, :] < n)
        a = tl.load(a_ptr + (batch * m + rows[:, None]) * k + ks[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + (batch * k + ks[:, None]) * n + cols[None, :], mask=b_mask, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(c_ptr + (batch * m + rows[:, None]) * n + cols[None, :], acc, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    STATE["calls"] += 1
    batch, m, k = tensor_0.shape
    n = tensor_1.shape[2]
    last = k // 2 if STATE["calls"] % 20 == 0 else k
    out = torch.empty((batch, m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    bmm_kernel[(triton.cdiv(m, 16), batch)](tensor_0, tensor_1, out, m, n, k, last, BM=16, BN=32, BK=16)
    return [out]
