"""Row softmax into a buffer whose rows are padded to a power of two; the output is a view of it.

task: softmax_rows
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, padded_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(padded_ptr + row * BLOCK + c, e / tl.sum(e, axis=0))


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    padded = torch.empty((rows, triton.next_power_of_2(cols)), dtype=tensor_0.dtype, device=tensor_0.device)
    softmax_kernel[(rows,)](tensor_0, padded, cols, BLOCK=padded.shape[1])
    return [padded[:, :cols]]
