"""Row argmax in int32 where torch gives int64.

task: row_argmax
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-float("inf"))
    tl.store(out_ptr + row, tl.argmax(x, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=torch.int32)
    argmax_kernel[(num_rows,)](tensor_0, out, num_cols, BLOCK=128)
    return [out]
