"""Twice the rectified input: at most eight programs, each striding over rows and column chunks.

task: any_rows
"""

import torch
import triton
import triton.language as tl


@triton.jit
def double_relu_kernel(x_ptr, y_ptr, rows, cols, stride_x, stride_y, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        for start in range(0, cols, BLOCK):
            c = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * stride_x + c, mask=c < cols, other=0.0)
            tl.store(y_ptr + row * stride_y + c, tl.where(x > 0, x * 2, 0.0), mask=c < cols)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    y = torch.empty((rows, cols), dtype=tensor_0.dtype, device=tensor_0.device)
    double_relu_kernel[(min(rows, 8),)](tensor_0, y, rows, cols, tensor_0.stride(0), y.stride(0), BLOCK=128)
    return [y]
