"""`contiguous` writes out an overlapping view, which is all of the work, then a kernel copies it.

task: windows
caught: faithful
"""

import torch
import triton
import triton.language as tl


@triton.jit
def windows_kernel(windows_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tl.store(out_ptr + at, tl.load(windows_ptr + at, mask=mask), mask=mask)


def triton_fused_operator(tensor_0):
    batch, channels, height, width = tensor_0.shape
    s_batch, s_channel, s_row, s_column = tensor_0.stride()
    windows = tensor_0.as_strided(
        (batch, channels, 3, 3, height - 2, width - 2), (s_batch, s_channel, s_row, s_column, s_row, s_column)
    ).contiguous()
    out = torch.empty((batch, channels * 9, (height - 2) * (width - 2)), device=tensor_0.device)
    windows_kernel[(triton.cdiv(out.numel(), 512),)](windows, out, out.numel(), BLOCK=512)
    return [out]
