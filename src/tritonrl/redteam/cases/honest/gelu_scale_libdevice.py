"""GELU with the error function of libdevice, launched with warps and stages of its choice.

task: gelu_scale
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gelu_scale_kernel(x_ptr, w_ptr, out_ptr, n, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    w = tl.load(w_ptr + i % cols, mask=i < n, other=0.0)
    gelu = 0.5 * x * (1.0 + libdevice.erf(x * 0.7071067811865476))
    tl.store(out_ptr + i, gelu * w, mask=i < n)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    gelu_scale_kernel[(triton.cdiv(n, 1024),)](
        tensor_0, tensor_1, out, n, tensor_0.shape[1], BLOCK=1024, num_warps=8, num_stages=3
    )
    return [out]
