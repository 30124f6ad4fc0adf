"""Even columns before odd ones are a transposed copy of one whole tensor, by the host; its kernel clips.

task: even_odd_relu
caught: faithful
"""

import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tl.store(out_ptr + at, tl.maximum(tl.load(x_ptr + at, mask=mask), 0.0), mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    joined = tensor_0.view(num_rows, num_cols // 2, 2).transpose(1, 2).contiguous()
    out = torch.empty_like(tensor_0)
    relu_kernel[(triton.cdiv(out.numel(), 256),)](joined, out, out.numel(), BLOCK=256)
    return [out]
