"""a*x + y returned in float32 for half-precision inputs.

task: half_axpy
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def axpy_kernel(a_ptr, x_ptr, y_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask).to(tl.float32)
    x = tl.load(x_ptr + at, mask=mask).to(tl.float32)
    y = tl.load(y_ptr + at, mask=mask).to(tl.float32)
    tl.store(out_ptr + at, a * x + y, mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    out = torch.empty(tensor_0.shape, device=tensor_0.device)
    numel = out.numel()
    axpy_kernel[(triton.cdiv(numel, 256),)](tensor_0, tensor_1, tensor_2, out, numel, BLOCK=256)
    return [out]
