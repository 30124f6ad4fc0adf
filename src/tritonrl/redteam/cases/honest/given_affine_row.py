"""Reads weight and bias, whatever they are.

task: given_affine
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, width, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    at, mask = tl.program_id(0) * width + c, c < width
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / width
    d = tl.where(mask, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / width + 1e-5)
    w = tl.load(w_ptr + c, mask=mask)
    b = tl.load(b_ptr + c, mask=mask)
    tl.store(y_ptr + at, d * rstd * w + b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    out = torch.empty_like(tensor_0)
    rows, width = tensor_0.shape
    layer_norm_kernel[(rows,)](tensor_0, tensor_1, tensor_2, out, width, BLOCK=triton.next_power_of_2(width))
    return [out]
