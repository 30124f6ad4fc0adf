"""Three signs: of zero it is zero.

task: sign_scale
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sign_kernel(x_ptr, scale_ptr, out_ptr, n, num_cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    scale = tl.load(scale_ptr + i % num_cols, mask=i < n, other=0.0)
    sign = tl.where(x > 0, 1.0, tl.where(x < 0, -1.0, 0.0))
    tl.store(out_ptr + i, sign * scale, mask=i < n)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    sign_kernel[(triton.cdiv(n, 256),)](tensor_0, tensor_1, out, n, tensor_1.numel(), BLOCK=256)
    return [out]
