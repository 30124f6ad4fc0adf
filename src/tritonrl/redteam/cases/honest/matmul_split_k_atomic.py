"""Product with the inner dimension split over programs that add into a zeroed output.

task: matmul
"""

import torch
import triton
import triton.language as tl


@triton.jit
def split_k_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.program_id(2) * BK, K, SPLIT * BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0
        )
        acc = tl.dot(a, b, acc=acc, input_precision="ieee")
    tl.atomic_add(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def triton_fused_operator(tensor_0, tensor_1):
    M, K = tensor_0.shape
    N = tensor_1.shape[1]
    c = torch.zeros((M, N), device=tensor_0.device, dtype=torch.float32)
    split = 2
    split_k_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32), split)](
        tensor_0, tensor_1, c, M, N, K, SPLIT=split, BM=16, BN=32, BK=16
    )
    return [c]
