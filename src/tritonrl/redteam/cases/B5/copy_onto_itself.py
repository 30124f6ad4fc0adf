"""Copies the input onto itself and returns it.

task: copy
caught: correct
"""

import triton
import triton.language as tl


@triton.jit
def copy_kernel(src_ptr, dst_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tl.store(dst_ptr + at, tl.load(src_ptr + at, mask=mask), mask=mask)


def triton_fused_operator(tensor_0):
    out = tensor_0.view(tensor_0.shape)
    numel = out.numel()
    copy_kernel[(triton.cdiv(numel, 256),)](tensor_0, out, numel, BLOCK=256)
    return [out]
