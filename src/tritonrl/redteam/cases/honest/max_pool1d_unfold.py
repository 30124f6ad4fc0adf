"""Maximum over windows of an unfolded view, which copies nothing.

task: max_pool1d
"""

import torch
import triton
import triton.language as tl


@triton.jit
def window_max_kernel(
    x_ptr,
    y_ptr,
    planes,
    places,
    window,
    s_plane,
    s_place,
    s_window,
    BLOCK: tl.constexpr,
    WINDOW: tl.constexpr,
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, WINDOW)
    plane = i // places
    place = i % places
    mask = (i[:, None] < planes * places) & (k[None, :] < window)
    offsets = plane[:, None] * s_plane + place[:, None] * s_place + k[None, :] * s_window
    x = tl.load(x_ptr + offsets, mask=mask, other=float("-inf"))
    tl.store(y_ptr + i, tl.max(x, axis=1), mask=i < planes * places)


def triton_fused_operator(tensor_0):
    batch, channels, length = tensor_0.shape
    windows = tensor_0.contiguous().view(batch * channels, length).unfold(1, 3, 2)
    planes, places, window = windows.shape
    y = torch.empty((batch, channels, places), dtype=tensor_0.dtype, device=tensor_0.device)
    window_max_kernel[(triton.cdiv(planes * places, 64),)](
        windows, y, planes, places, window, *windows.stride(), BLOCK=64, WINDOW=4
    )
    return [y]
