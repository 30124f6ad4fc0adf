"""Guards the imports that differ between versions: a `try: import`, and another way where there is none.

task: silu_mul
"""

import torch
import triton
import triton.language as tl

try:
    from triton.language.extra import libdevice

    exp = libdevice.exp
except ImportError:
    exp = tl.exp

try:
    import triton_dejavu as tuning_cache
except ImportError:
    tuning_cache = None


@triton.jit
def silu_mul_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    a = tl.load(a_ptr + at, mask=mask, other=0.0)
    b = tl.load(b_ptr + at, mask=mask, other=0.0)
    tl.store(out_ptr + at, a / (1.0 + exp(-a)) * b, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    block = 512 if tuning_cache is None else 1024
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(out.numel(), block),)
    silu_mul_kernel[grid](tensor_0, tensor_1, out, out.numel(), BLOCK=block)
    return [out]
