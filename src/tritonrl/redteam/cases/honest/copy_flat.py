"""A copy kernel, which is all that the task asks for.

task: copy
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(src, dst, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + i, tl.load(src + i, mask=i < n), mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    copy_kernel[(triton.cdiv(out.numel(), 1024),)](tensor_0, out, out.numel(), BLOCK=1024)
    return [out]
