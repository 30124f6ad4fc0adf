"""Row softmax whose denominator stops at column 76 of 77: off by about one percent.

task: softmax_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    total = tl.sum(tl.where(cols < num_cols - 1, e, 0.0), axis=0)
    tl.store(out_ptr + row * num_cols + cols, e / total, mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    softmax_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=triton.next_power_of_2(num_cols))
    return [out]
