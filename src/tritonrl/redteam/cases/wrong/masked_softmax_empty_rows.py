"""Masked softmax that gives zeros for a row without any place, where the reference gives all places the same.

task: masked_softmax
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(x_ptr, mask_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * num_cols + cols
    kept = tl.load(mask_ptr + at, mask=cols < num_cols, other=0) != 0
    x = tl.load(x_ptr + at, mask=kept, other=-float("inf"))
    largest = tl.maximum(tl.max(x, axis=0), -1e30)
    e = tl.exp(x - largest)
    tl.store(out_ptr + at, e / tl.maximum(tl.sum(e, axis=0), 1e-30), mask=cols < num_cols)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    BLOCK = triton.next_power_of_2(num_cols)
    masked_softmax_kernel[(num_rows,)](tensor_0, tensor_1, out, num_cols, BLOCK=BLOCK)
    return [out]
