"""Two outputs as views of one buffer, element by element in turn: they share memory and overlap nowhere.

task: two_copies
"""

import torch
import triton
import triton.language as tl


@triton.jit
def tripled_kernel(x_ptr, both_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    tripled = tl.maximum(tl.load(x_ptr + at, mask=mask), 0.0) * 3.0
    tl.store(both_ptr + 2 * at, tripled, mask=mask)
    tl.store(both_ptr + 2 * at + 1, tripled, mask=mask)


def triton_fused_operator(tensor_0):
    both = torch.empty((*tensor_0.shape, 2), dtype=tensor_0.dtype, device=tensor_0.device)
    tripled_kernel[(triton.cdiv(tensor_0.numel(), 256),)](tensor_0, both, tensor_0.numel(), BLOCK=256)
    return [both[..., 0], both[..., 1]]
