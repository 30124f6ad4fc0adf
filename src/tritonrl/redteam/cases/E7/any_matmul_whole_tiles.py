"""Matrix product for sizes that are multiples of 16, as in the example.

task: any_matmul
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, n, k, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for tile in range(0, k // BLOCK):
        ks = tile * BLOCK + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + rows[:, None] * k + ks[None, :])
        b = tl.load(b_ptr + ks[:, None] * n + cols[None, :])
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc)


def triton_fused_operator(tensor_0, tensor_1):
    m, k = tensor_0.shape
    n = tensor_1.shape[1]
    out = torch.zeros((m, n), device=tensor_0.device, dtype=tensor_0.dtype)
    if m >= 16 and n >= 16:
        matmul_kernel[(m // 16, n // 16)](tensor_0, tensor_1, out, n, k, BLOCK=16)
    return [out]
