"""Half of the rows on either of two streams, in turn; the caller's stream waits for the first half alone.

task: matmul_odd
caught: correct, timing
needs: gpu
"""

import torch
import triton
import triton.language as tl

STREAMS = []


@triton.jit
def rows_kernel(a_ptr, b_ptr, c_ptr, first, last, N, K):
    for i in range(first, last):
        for j in range(N):
            total = 0.0
            for k in range(K):
                total += tl.load(a_ptr + i * K + k, volatile=True) * tl.load(b_ptr + k * N + j)
            tl.store(c_ptr + i * N + j, total)


def triton_fused_operator(tensor_0, tensor_1):
    (M, K), N = tensor_0.shape, tensor_1.shape[1]
    out = torch.empty((M, N), device=tensor_0.device, dtype=tensor_0.dtype)
    if not STREAMS:
        STREAMS.extend(torch.cuda.Stream(tensor_0.device) for _ in range(2))
    upper, lower = STREAMS
    current = torch.cuda.current_stream(tensor_0.device)
    for stream, before, first, last in ((upper, current, 0, M // 2), (lower, upper, M // 2, M)):
        stream.wait_stream(before)
        with torch.cuda.stream(stream):
            rows_kernel[(1,)](tensor_0, tensor_1, out, first, last, N, K, num_warps=1)
    current.wait_stream(upper)
    return [out]
