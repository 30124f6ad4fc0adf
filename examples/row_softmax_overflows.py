"""A wrong candidate for row_softmax.py: without the maximum subtracted, large inputs overflow."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, scale_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    scale = tl.load(scale_ptr + cols, mask=mask, other=0.0)
    scaled = tl.where(mask, x * scale, float("-inf"))
    e = tl.exp(scaled)
    tl.store(out_ptr + row * num_cols + cols, e / tl.sum(e, axis=0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    block = triton.next_power_of_2(num_cols)
    softmax_kernel[(num_rows,)](tensor_0, tensor_1, out, num_cols, BLOCK=block)
    return [out]
