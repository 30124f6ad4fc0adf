"""Product of any size, every load and store masked.

task: any_matmul
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, k, BLOCK):
        p = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + i * k + p[None, :], mask=(i < m) & (p[None, :] < k), other=0.0)
        b = tl.load(b_ptr + p[:, None] * n + j, mask=(p[:, None] < k) & (j < n), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + i * n + j, acc, mask=(i < m) & (j < n))


def triton_fused_operator(tensor_0, tensor_1):
    m, k = tensor_0.shape
    n = tensor_1.shape[1]
    c = torch.empty((m, n), dtype=tensor_0.dtype, device=tensor_0.device)
    matmul_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 32))](tensor_0, tensor_1, c, m, n, k, BLOCK=32)
    return [c]
