"""Row maxima with a while loop over the chunks; the sizes are not specialised.

task: row_max
"""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows", "cols"])
def row_max_kernel(x_ptr, out_ptr, rows, cols, CHUNK: tl.constexpr):
    row = tl.program_id(0)
    best = float("-inf")
    start = 0
    while start < cols:
        c = start + tl.arange(0, CHUNK)
        x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=float("-inf"), eviction_policy="evict_first")
        best = tl.maximum(best, tl.max(x, axis=0))
        start += CHUNK
    tl.store(out_ptr + row, best)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    out = torch.empty(rows, dtype=tensor_0.dtype, device=tensor_0.device)
    row_max_kernel[(rows,)](tensor_0, out, rows, cols, CHUNK=32)
    return [out]
