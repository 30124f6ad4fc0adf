"""Root-mean-square norm that reads a module-level number which is not a constexpr.

task: rms_norm
caught: compile
"""

import torch
import triton
import triton.language as tl

EPS = 1e-6


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / num_cols + EPS)
    tl.store(out_ptr + row * num_cols + cols, x * scale * weight, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    rms_norm_kernel[(num_rows,)](tensor_0, tensor_1, out, num_cols, BLOCK=128)
    return [out]
