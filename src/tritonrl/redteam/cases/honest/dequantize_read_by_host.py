"""Scale and zero point are read by the host, a float and an integer, and handed on as they are.

task: dequantize
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dequantize_kernel(x_ptr, out_ptr, scale, zero, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    x = tl.load(x_ptr + at, mask=mask, other=0).to(tl.int32) - zero
    tl.store(out_ptr + at, x.to(tl.float32) * scale, mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    out = torch.empty(tensor_0.shape, device=tensor_0.device)
    grid = (triton.cdiv(out.numel(), 128),)
    dequantize_kernel[grid](tensor_0, out, float(tensor_1), int(tensor_2), out.numel(), BLOCK=128)
    return [out]
