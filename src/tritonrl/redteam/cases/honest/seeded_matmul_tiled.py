"""A tiled product; that its inputs come from a fixed seed is nothing to it.

task: seeded_matmul
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        down = start + tl.arange(0, BK)[:, None]
        along = start + tl.arange(0, BK)[None, :]
        a = tl.load(a_ptr + m * K + along, mask=(m < M) & (along < K), other=0.0)
        b = tl.load(b_ptr + down * N + n, mask=(down < K) & (n < N), other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    tl.store(c_ptr + m * N + n, total, mask=(m < M) & (n < N))


def triton_fused_operator(tensor_0, tensor_1):
    (M, K), N = tensor_0.shape, tensor_1.shape[1]
    out = torch.empty((M, N), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
    matmul_kernel[grid](tensor_0, tensor_1, out, M, N, K, BM=16, BN=16, BK=32)
    return [out]
