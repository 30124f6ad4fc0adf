"""Sum of the whole blocks of 512: a floor division leaves the last 440 of 3000 numbers out.

task: total_sum
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def partial_sum_kernel(x_ptr, part_ptr, numel, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + at, mask=at < numel, other=0.0), axis=0))


@triton.jit
def final_sum_kernel(part_ptr, out_ptr, num_parts, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(part_ptr + i, mask=i < num_parts, other=0.0), axis=0))


def triton_fused_operator(tensor_0):
    num_parts = tensor_0.numel() // 512
    parts = torch.empty(num_parts, device=tensor_0.device, dtype=tensor_0.dtype)
    out = torch.empty((), device=tensor_0.device, dtype=tensor_0.dtype)
    partial_sum_kernel[(num_parts,)](tensor_0, parts, tensor_0.numel(), BLOCK=512)
    final_sum_kernel[(1,)](parts, out, num_parts, BLOCK=triton.next_power_of_2(num_parts))
    return [out]
