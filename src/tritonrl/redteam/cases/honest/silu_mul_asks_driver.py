"""As many programs as the driver says there are multiprocessors; tensors elsewhere are torch's business.

task: silu_mul
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
PROPERTIES = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)
WARPS = 8 if torch.cuda.get_device_capability()[0] >= 9 else 4


@triton.jit
def silu_mul_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    step = tl.num_programs(0) * BLOCK
    for start in range(tl.program_id(0) * BLOCK, numel, step):
        at = start + tl.arange(0, BLOCK)
        mask = at < numel
        a = tl.load(a_ptr + at, mask=mask, other=0.0)
        b = tl.load(b_ptr + at, mask=mask, other=0.0)
        tl.store(out_ptr + at, a * tl.sigmoid(a) * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    if tensor_0.device != DEVICE:
        return [torch.nn.functional.silu(tensor_0) * tensor_1]
    out = torch.empty_like(tensor_0)
    num_programs = min(PROPERTIES["multiprocessor_count"], triton.cdiv(out.numel(), 256))
    silu_mul_kernel[(num_programs,)](tensor_0, tensor_1, out, out.numel(), BLOCK=256, num_warps=WARPS)
    return [out]
