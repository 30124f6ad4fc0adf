"""A copy by as many programs as the device has processors, or four where that is not known.

task: copy
"""

import torch
import triton
import triton.language as tl


def program_count(device):
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).multi_processor_count
    return 4


@triton.jit
def copy_kernel(src_ptr, dst_ptr, n, BLOCK: tl.constexpr):
    blocks = tl.cdiv(n, BLOCK)
    for block in tl.range(tl.program_id(0), blocks, tl.num_programs(0)):
        i = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(dst_ptr + i, tl.load(src_ptr + i, mask=i < n), mask=i < n)


def triton_fused_operator(tensor_0):
    x = tensor_0.contiguous()
    out = torch.empty_like(x)
    copy_kernel[(program_count(x.device),)](x, out, x.numel(), BLOCK=128)
    return [out]
