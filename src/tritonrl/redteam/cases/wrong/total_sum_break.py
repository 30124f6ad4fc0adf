"""A total whose loop leaves by break, a statement that Triton does not compile.

task: total_sum
caught: compile
"""

import torch
import triton
import triton.language as tl


@triton.jit
def total_sum_kernel(x_ptr, out_ptr, numel, MAX_TILES: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for tile in range(MAX_TILES):
        if tile * BLOCK >= numel:
            break
        at = tile * BLOCK + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + at, mask=at < numel, other=0.0)
    tl.store(out_ptr, tl.sum(acc, axis=0))


def triton_fused_operator(tensor_0):
    out = torch.empty((), device=tensor_0.device, dtype=tensor_0.dtype)
    total_sum_kernel[(1,)](tensor_0, out, tensor_0.numel(), MAX_TILES=16, BLOCK=512)
    return [out]
