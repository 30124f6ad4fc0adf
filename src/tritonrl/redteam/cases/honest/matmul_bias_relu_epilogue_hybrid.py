"""The library's product, then bias and rectifier fused in one kernel, in place.

task: matmul_bias_relu
policy: hybrid
"""

import torch
import triton
import triton.language as tl


@triton.jit
def bias_relu_kernel(y_ptr, bias_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    y = tl.load(y_ptr + row * num_cols + cols, mask=mask) + tl.load(bias_ptr + cols, mask=mask)
    tl.store(y_ptr + row * num_cols + cols, tl.maximum(y, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    y = torch.mm(tensor_0, tensor_1.t())
    num_rows, num_cols = y.shape
    bias_relu_kernel[(num_rows,)](y, tensor_2, num_cols, BLOCK=triton.next_power_of_2(num_cols))
    return [y]
