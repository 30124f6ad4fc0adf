"""Each half is stored through a view of the output; `contiguous` finds nothing to copy.

task: concat
"""

import torch
import triton
import triton.language as tl


@triton.jit
def half_kernel(x_ptr, out_ptr, rows, columns, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < rows * columns
    x = tl.load(x_ptr + at, mask=mask)
    tl.store(out_ptr + (at // columns) * stride + at % columns, x, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    halves = [tensor_0.contiguous(), tensor_1.contiguous()]
    widths = [half.shape[1] for half in halves]
    out = torch.empty((tensor_0.shape[0], sum(widths)), dtype=tensor_0.dtype, device=tensor_0.device)
    for half, place in zip(halves, out.split(widths, 1), strict=True):
        half_kernel[(triton.cdiv(half.numel(), 128),)](half, place, *half.shape, place.stride(0), BLOCK=128)
    return [out]
