"""The question's own plain numbers are arguments of the launch; what is computed from them on the host is no
work.

task: relu_numbers
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_relu_kernel(x_ptr, out_ptr, numel, scale, offset, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < numel)
    tl.store(out_ptr + at, (tl.maximum(x, 0.0) + offset) * scale, mask=at < numel)


def triton_fused_operator(tensor_0, scale, shift):
    out = torch.empty_like(tensor_0)
    numel = out.numel()
    scaled_relu_kernel[(triton.cdiv(numel, 512),)](tensor_0, out, numel, scale, shift / scale, BLOCK=512)
    return [out]
