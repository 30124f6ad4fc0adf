"""Product of odd sizes: slices of the inner dimension go to a workspace, a second kernel adds them.

task: matmul_odd
"""

import torch
import triton
import triton.language as tl

SLICES = 2


@triton.jit
def slice_kernel(
    a_ptr, b_ptr, work_ptr, M, N, K, slice_k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    pid_s = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    first = pid_s * slice_k
    last = min(first + slice_k, K)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(first, last, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(
            a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < last), other=0.0
        )
        b = tl.load(
            b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < last) & (n[None, :] < N), other=0.0
        )
        acc += tl.dot(a, b, input_precision="ieee")
    out = work_ptr + pid_s * M * N + m[:, None] * N + n[None, :]
    tl.store(out, acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def add_slices_kernel(work_ptr, c_ptr, size, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for s in tl.static_range(COUNT):
        acc += tl.load(work_ptr + s * size + i, mask=i < size, other=0.0)
    tl.store(c_ptr + i, acc, mask=i < size)


def triton_fused_operator(tensor_0, tensor_1):
    M, K = tensor_0.shape
    N = tensor_1.shape[1]
    work = torch.empty((SLICES, M, N), dtype=torch.float32, device=tensor_0.device)
    c = torch.empty((M, N), dtype=torch.float32, device=tensor_0.device)
    slice_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32), SLICES)](
        tensor_0, tensor_1, work, M, N, K, triton.cdiv(K, SLICES), BM=16, BN=32, BK=16
    )
    add_slices_kernel[(triton.cdiv(M * N, 256),)](work, c, M * N, COUNT=SLICES, BLOCK=256)
    return [c]
