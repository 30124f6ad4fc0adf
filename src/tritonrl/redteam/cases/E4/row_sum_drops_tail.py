"""Row sums over whole tiles of 64 columns: the last two of 130 are never read.

task: row_sum
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, num_cols, num_tiles, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for tile in range(0, num_tiles):
        acc += tl.load(x_ptr + row * num_cols + tile * BLOCK + tl.arange(0, BLOCK))
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    row_sum_kernel[(num_rows,)](tensor_0, out, num_cols, num_cols // 64, BLOCK=64)
    return [out]
