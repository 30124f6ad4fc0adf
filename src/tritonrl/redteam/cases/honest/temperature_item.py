"""Softmax in one block a row; the host reads the temperature and hands it on as it is.

task: temperature
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, temperature, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=-float("inf")) / temperature
    weights = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * num_cols + cols, weights / tl.sum(weights, axis=0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    block = triton.next_power_of_2(num_cols)
    softmax_kernel[(num_rows,)](tensor_0, out, tensor_1.item(), num_cols, BLOCK=block)
    return [out]
