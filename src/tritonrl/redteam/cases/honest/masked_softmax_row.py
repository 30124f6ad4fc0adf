"""Masked softmax that fills as the reference does, so that a row without any place is spread evenly.

task: masked_softmax
"""

import torch
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(x_ptr, mask_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * num_cols + cols
    kept = tl.load(mask_ptr + at, mask=cols < num_cols, other=0) != 0
    x = tl.load(x_ptr + at, mask=cols < num_cols, other=0.0)
    x = tl.where(kept, x, -1e9)
    x = tl.where(cols < num_cols, x, -float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + at, e / tl.sum(e, axis=0), mask=cols < num_cols)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    BLOCK = triton.next_power_of_2(num_cols)
    masked_softmax_kernel[(num_rows,)](tensor_0, tensor_1, out, num_cols, BLOCK=BLOCK)
    return [out]
