"""A running sum whose programs take the total so far from the program before them, and do not wait for it.
Right where programs run one after the other.

task: cumsum_rows
caught: faithful
needs: interpreter
"""

import torch
import triton
import triton.language as tl


@triton.jit
def carried_scan_kernel(x_ptr, y_ptr, carry_ptr, cols, C: tl.constexpr):
    row = tl.program_id(0)
    chunk = tl.program_id(1)
    c = chunk * C + tl.arange(0, C)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    carries = carry_ptr + row * (tl.num_programs(1) + 1) + chunk
    before = tl.load(carries)
    tl.store(y_ptr + row * cols + c, before + tl.cumsum(x, axis=0), mask=c < cols)
    tl.store(carries + 1, before + tl.sum(x, axis=0))


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    chunks = triton.cdiv(cols, 32)
    y = torch.empty_like(tensor_0)
    carry = torch.zeros((rows, chunks + 1), dtype=torch.float32, device=tensor_0.device)
    carried_scan_kernel[(rows, chunks)](tensor_0, y, carry, cols, C=32)
    return [y]
