"""Product of bfloat16 matrices through tensor descriptors built on the host.

task: matmul_bf16
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul_kernel(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        a = a_desc.load([row, k])
        b = b_desc.load([k, col])
        acc = tl.dot(a.to(tl.float32), b.to(tl.float32), acc, input_precision="ieee")
    c_desc.store([row, col], acc.to(tl.bfloat16))


def triton_fused_operator(tensor_0, tensor_1):
    M, K = tensor_0.shape
    N = tensor_1.shape[1]
    c = torch.empty((M, N), dtype=torch.bfloat16, device=tensor_0.device)
    a_desc = TensorDescriptor.from_tensor(tensor_0, [16, 32])
    b_desc = TensorDescriptor.from_tensor(tensor_1, [32, 16])
    c_desc = TensorDescriptor.from_tensor(c, [16, 16])
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
    matmul_kernel[grid](a_desc, b_desc, c_desc, K, BM=16, BN=16, BK=32)
    return [c]
