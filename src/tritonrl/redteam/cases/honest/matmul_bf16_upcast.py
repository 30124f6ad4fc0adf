"""Product of bfloat16 matrices: tiles widened to fp32 after the load, fp32 accumulator, one rounding.

task: matmul_bf16
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=2):
        rk = k + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0
        )
        acc = tl.dot(a.to(tl.float32), b.to(tl.float32), acc, input_precision="ieee")
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    M, K = tensor_0.shape
    N = tensor_1.shape[1]
    c = torch.empty((M, N), dtype=torch.bfloat16, device=tensor_0.device)
    matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](
        tensor_0, tensor_1, c, M, N, K, BM=16, BN=16, BK=32, num_warps=2, num_stages=2
    )
    return [c]
