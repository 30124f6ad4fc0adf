"""Row argmax of the values in half precision: near ties go to the first of the bunch.

task: row_argmax
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-float("inf"))
    x = x.to(tl.float16).to(tl.float32)
    best = tl.argmax(x, axis=0)
    tl.store(out_ptr + row, best.to(tl.int64))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=torch.int64)
    argmax_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=128)
    return [out]
