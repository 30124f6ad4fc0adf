"""Reads every other row and column from a view with larger strides.

task: every_other
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sigmoid_kernel(x_ptr, out_ptr, n, H, W, s_plane, s_row, s_col, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = i // (H * W) * s_plane + i // W % H * s_row + i % W * s_col
    tl.store(out_ptr + i, tl.sigmoid(tl.load(x_ptr + at, mask=i < n, other=0.0)), mask=i < n)


def triton_fused_operator(tensor_0):
    N, C, H, W = tensor_0.shape
    picked = tensor_0.view(N * C, H, W)[:, ::2, ::2]
    out = torch.empty(picked.shape, device=tensor_0.device)
    n = out.numel()
    sigmoid_kernel[(triton.cdiv(n, 128),)](
        picked, out, n, out.shape[1], out.shape[2], *picked.stride(), BLOCK=128
    )
    return [out.view(N, C, *out.shape[1:])]
