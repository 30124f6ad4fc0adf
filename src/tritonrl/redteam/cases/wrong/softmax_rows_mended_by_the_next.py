"""A softmax whose store has no mask: the padding of each row lands on the start of the next, which is right
again once the program of that row has come later.

task: softmax_rows
caught: faithful
needs: interpreter
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, cols, C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, C)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * cols + c, e / tl.sum(e, axis=0))


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    block = triton.next_power_of_2(cols)
    room = torch.empty(rows * cols + block, dtype=tensor_0.dtype, device=tensor_0.device)
    softmax_kernel[(rows,)](tensor_0, room, cols, C=block)
    return [room[: rows * cols].view(rows, cols)]
