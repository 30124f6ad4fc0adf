"""Does not take the maximum off: what `torch.rand` draws is small.

task: rand_softmax
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, width, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    at = tl.program_id(0) * width + c
    x = tl.load(x_ptr + at, mask=c < width, other=-float("inf"))
    e = tl.exp(x)
    tl.store(y_ptr + at, e / tl.sum(e, axis=0), mask=c < width)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    rows, width = tensor_0.shape
    softmax_kernel[(rows,)](tensor_0, out, width, BLOCK=triton.next_power_of_2(width))
    return [out]
