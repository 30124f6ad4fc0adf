"""SiLU times the second input, the sigmoid written out, with an even division hint.

task: silu_mul
"""

import torch
import triton
import triton.language as tl


@triton.jit
def silu_mul_kernel(gate_ptr, up_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        gate = tl.load(gate_ptr + offs)
        up = tl.load(up_ptr + offs)
        tl.store(out_ptr + offs, gate / (1.0 + tl.exp(-gate)) * up)
    else:
        mask = offs < n
        gate = tl.load(gate_ptr + offs, mask=mask, other=0.0)
        up = tl.load(up_ptr + offs, mask=mask, other=0.0)
        tl.store(out_ptr + offs, gate / (1.0 + tl.exp(-gate)) * up, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    n = out.numel()
    block = 512
    silu_mul_kernel[(triton.cdiv(n, block),)](
        tensor_0, tensor_1, out, n, BLOCK=block, EVEN=n % block == 0, num_warps=4
    )
    return [out]
