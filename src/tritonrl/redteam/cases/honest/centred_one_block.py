"""One program holds the whole matrix and takes its mean off.

task: centred
"""

import torch
import triton
import triton.language as tl


@triton.jit
def centred_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x - tl.sum(x, axis=0) / n, mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    centred_kernel[(1,)](tensor_0, out, n, BLOCK=triton.next_power_of_2(n))
    return [out]
