"""Sum and rectification by whole blocks without a mask: the last one starts earlier, and stores once more
what another program stores there, too.

task: add_relu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.minimum(tl.program_id(0) * BLOCK, n - BLOCK)
    at = start + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.maximum(tl.load(a_ptr + at) + tl.load(b_ptr + at), 0.0))


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    add_relu_kernel[(triton.cdiv(n, 512),)](tensor_0, tensor_1, out, n, BLOCK=512)
    return [out]
