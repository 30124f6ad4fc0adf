"""Sum of a vector in two passes: block sums, then the sum of those.

task: total_sum
"""

import torch
import triton
import triton.language as tl


@triton.jit
def block_sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + pid, tl.sum(x, axis=0))


def triton_fused_operator(tensor_0):
    n = tensor_0.numel()
    blocks = triton.cdiv(n, 256)
    partial = torch.empty(blocks, device=tensor_0.device, dtype=torch.float32)
    result = torch.empty(1, device=tensor_0.device, dtype=torch.float32)
    block_sum_kernel[(blocks,)](tensor_0, partial, n, BLOCK=256)
    block_sum_kernel[(1,)](partial, result, blocks, BLOCK=triton.next_power_of_2(blocks))
    return [result.view(())]
