"""Adds up in int32, which overflows where all integers are as large as they may be.

task: integer_dot
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def integer_dot_kernel(a_ptr, b_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((), dtype=tl.int32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row * width + at, mask=at < width, other=0).to(tl.int32)
        b = tl.load(b_ptr + row * width + at, mask=at < width, other=0).to(tl.int32)
        total += tl.sum(a * b, axis=0)
    tl.store(out_ptr + row, total.to(tl.int64))


def triton_fused_operator(tensor_0, tensor_1):
    rows, width = tensor_0.shape
    out = torch.empty(rows, device=tensor_0.device, dtype=torch.int64)
    integer_dot_kernel[(rows,)](tensor_0, tensor_1, out, width, BLOCK=1024)
    return [out]
