"""Batched product with swizzled tiles and contiguity hints; the batch is the second grid axis.

task: bmm
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    pid = tl.program_id(0)
    pid_m, pid_n = tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, 2)
    batch = tl.program_id(1)
    a_ptr += batch * M * K
    b_ptr += batch * K * N
    c_ptr += batch * M * N
    rm = tl.max_contiguous(tl.multiple_of(pid_m * BM + tl.arange(0, BM), BM), BM)
    rn = tl.max_contiguous(tl.multiple_of(pid_n * BN + tl.arange(0, BN), BN), BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def triton_fused_operator(tensor_0, tensor_1):
    batch, M, K = tensor_0.shape
    N = tensor_1.shape[-1]
    c = torch.empty((batch, M, N), dtype=tensor_0.dtype, device=tensor_0.device)
    tiles = triton.cdiv(M, 16) * triton.cdiv(N, 16)
    bmm_kernel[(tiles, batch)](tensor_0, tensor_1, c, M, N, K, BM=16, BN=16, BK=32)
    return [c]
