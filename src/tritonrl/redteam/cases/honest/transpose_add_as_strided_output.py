"""The sum is written along the first matrix, column by column; as_strided turns the buffer into the output.

task: transpose_add
"""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose_add_kernel(a_ptr, b_ptr, out_ptr, n, rows, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    col = i // rows
    row = i % rows
    a = tl.load(a_ptr + i, mask=mask)
    tl.store(out_ptr + i, a + tl.load(b_ptr + row * cols + col, mask=mask), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    rows, cols = tensor_1.shape
    buffer = torch.empty(rows * cols, dtype=tensor_0.dtype, device=tensor_0.device)
    transpose_add_kernel[(triton.cdiv(buffer.numel(), 256),)](
        tensor_0, tensor_1, buffer, buffer.numel(), rows, cols, BLOCK=256
    )
    return [buffer.as_strided((rows, cols), (1, rows))]
