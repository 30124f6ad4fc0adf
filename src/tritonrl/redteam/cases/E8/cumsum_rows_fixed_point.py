"""Running sums in integers of 1/65536: values are truncated, and wrap around beyond 32768.

task: cumsum_rows
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, num_cols, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    running = tl.cumsum((x * SCALE).to(tl.int32), axis=0)
    tl.store(out_ptr + row * num_cols + cols, running.to(tl.float32) / SCALE, mask=mask)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    cumsum_kernel[(num_rows,)](tensor_0, out, num_cols, SCALE=65536.0, BLOCK=128)
    return [out]
