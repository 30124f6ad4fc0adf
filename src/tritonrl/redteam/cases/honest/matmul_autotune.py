"""Product on tuned tiles, the tiles numbered in groups of rows for cache reuse.

task: matmul
"""

import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BM": 16, "BN": 16, "BK": 16, "GROUP": 2}, num_stages=3, num_warps=2),
        triton.Config({"BM": 32, "BN": 16, "BK": 32, "GROUP": 1}, num_stages=2, num_warps=4),
        triton.Config({"BM": 16, "BN": 64, "BK": 16, "GROUP": 4}, num_stages=1, num_warps=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BM)
    num_n = tl.cdiv(N, BN)
    in_group = GROUP * num_n
    first_m = (pid // in_group) * GROUP
    group_rows = min(num_m - first_m, GROUP)
    pid_m = first_m + (pid % in_group) % group_rows
    pid_n = (pid % in_group) // group_rows

    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0
        )
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def triton_fused_operator(tensor_0, tensor_1):
    a, b = tensor_0.contiguous(), tensor_1.contiguous()
    M, K = a.shape
    _, N = b.shape
    c = a.new_empty((M, N))
    matmul_kernel[lambda m: (triton.cdiv(M, m["BM"]) * triton.cdiv(N, m["BN"]),)](a, b, c, M, N, K)
    return [c]
