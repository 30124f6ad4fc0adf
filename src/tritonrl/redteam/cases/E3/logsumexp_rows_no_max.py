"""Log of the plain sum of exponentials: infinite for rows that reach 89.

task: logsumexp_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    total = tl.sum(tl.where(mask, tl.exp(x), 0.0), axis=0)
    tl.store(out_ptr + row, tl.log(total))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    logsumexp_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=triton.next_power_of_2(num_cols))
    return [out]
