"""Row softmax shifted by the maximum of the whole tensor: rows far below it underflow to 0/0.

task: softmax_rows
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def block_max_kernel(x_ptr, part_ptr, numel, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < numel, other=-float("inf"))
    tl.store(part_ptr + pid, tl.max(x, axis=0))


@triton.jit
def softmax_kernel(x_ptr, part_ptr, out_ptr, num_cols, num_parts, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    parts = tl.arange(0, PARTS)
    highest = tl.max(tl.load(part_ptr + parts, mask=parts < num_parts, other=-float("inf")), axis=0)
    x = tl.load(x_ptr + row * num_cols + cols, mask=cols < num_cols, other=-float("inf"))
    e = tl.exp(x - highest)
    tl.store(out_ptr + row * num_cols + cols, e / tl.sum(e, axis=0), mask=cols < num_cols)


def triton_fused_operator(tensor_0):
    num_rows, num_cols = tensor_0.shape
    num_parts = triton.cdiv(tensor_0.numel(), 1024)
    parts = torch.empty(num_parts, device=tensor_0.device, dtype=tensor_0.dtype)
    out = torch.empty_like(tensor_0)
    block_max_kernel[(num_parts,)](tensor_0, parts, tensor_0.numel(), BLOCK=1024)
    softmax_kernel[(num_rows,)](tensor_0, parts, out, num_cols, num_parts, BLOCK=128, PARTS=16)
    return [out]
