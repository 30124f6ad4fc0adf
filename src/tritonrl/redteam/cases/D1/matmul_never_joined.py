"""One program, milliseconds of work, on a stream of its own that waits for nobody and that nobody waits for.

task: matmul
caught: correct, timing
needs: gpu
"""

import functools

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K):
    for i in range(M):
        for j in range(N):
            total = 0.0
            for k in range(K):
                total += tl.load(a_ptr + i * K + k, volatile=True) * tl.load(b_ptr + k * N + j)
            tl.store(c_ptr + i * N + j, total)


@functools.lru_cache
def side_stream(device):
    return torch.cuda.Stream(device)


def triton_fused_operator(tensor_0, tensor_1):
    (M, K), N = tensor_0.shape, tensor_1.shape[1]
    out = torch.empty((M, N), device=tensor_0.device, dtype=tensor_0.dtype)
    with torch.cuda.stream(side_stream(tensor_0.device)):
        matmul_kernel[(1,)](tensor_0, tensor_1, out, M, N, K, num_warps=1)
    return [out]
