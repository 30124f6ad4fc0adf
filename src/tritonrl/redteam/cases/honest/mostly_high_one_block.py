"""The kernel adds up and decides.

task: mostly_high
"""

import torch
import triton
import triton.language as tl


@triton.jit
def mostly_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    total = tl.sum(2.0 * tl.sigmoid(2.0 * x) - 1.0, axis=0)
    tl.store(y_ptr, tl.where(total > 0, 1.0, 0.0))


def triton_fused_operator(tensor_0):
    out = torch.empty((), device=tensor_0.device, dtype=torch.float32)
    n = tensor_0.numel()
    mostly_kernel[(1,)](tensor_0, out, n, BLOCK=triton.next_power_of_2(n))
    return [out]
