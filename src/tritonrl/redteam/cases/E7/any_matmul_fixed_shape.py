"""Matrix product with 32, 48 and 64 written into the kernel.

task: any_matmul
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, a_size, b_size, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, BK: tl.constexpr
):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, K, BK):
        ks = start + tl.arange(0, BK)
        a_at = rows[:, None] * K + ks[None, :]
        b_at = ks[:, None] * N + cols[None, :]
        a = tl.load(a_ptr + a_at, mask=a_at < a_size, other=0.0)
        b = tl.load(b_ptr + b_at, mask=b_at < b_size, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty((32, 64), device=tensor_0.device, dtype=tensor_0.dtype)
    matmul_kernel[(1,)](tensor_0, tensor_1, out, tensor_0.numel(), tensor_1.numel(), M=32, K=48, N=64, BK=16)
    return [out]
