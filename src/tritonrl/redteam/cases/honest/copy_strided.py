"""A copy through strides into memory from torch.empty_strided.

task: copy
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(src, dst, rows, cols, s0, s1, d0, d1, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(src + r * s0 + c * s1, mask=c < cols)
        tl.store(dst + r * d0 + c * d1, x, mask=c < cols)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    out = torch.empty_strided((rows, cols), (cols, 1), dtype=tensor_0.dtype, device=tensor_0.device)
    copy_kernel[(rows,)](tensor_0, out, rows, cols, *tensor_0.stride(), *out.stride(), BLOCK=64)
    return [out]
