"""Linear layer in two launches: the product first, then bias and rectifier in place on its own buffer.

task: matmul_bias_relu
"""

import triton
import triton.language as tl


@triton.jit
def product_kernel(x_ptr, w_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
        acc += tl.dot(x, tl.trans(w), input_precision="ieee")
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def bias_relu_kernel(y_ptr, b_ptr, size, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < size
    y = tl.load(y_ptr + i, mask=mask, other=0.0) + tl.load(b_ptr + i % N, mask=mask, other=0.0)
    tl.store(y_ptr + i, tl.where(y > 0.0, y, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    M, K = tensor_0.shape
    N = tensor_1.shape[0]
    y = tensor_0.new_empty(M, N)
    product_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](
        tensor_0, tensor_1, y, M, N, K, BM=32, BN=32, BK=32
    )
    bias_relu_kernel[(triton.cdiv(M * N, 512),)](y, tensor_2, M * N, N, BLOCK=512)
    return [y]
