"""A kernel computes the mean and leaves the decision in memory, where the next one reads it.

task: mean_gate
"""

import torch
import triton
import triton.language as tl


@triton.jit
def decide_kernel(x_ptr, gate_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        total += x * x * tl.sigmoid(x)
    tl.store(gate_ptr, (tl.sum(total, axis=0) / n > 0.5).to(tl.int32))


@triton.jit
def gated_kernel(x_ptr, gate_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.where(tl.load(gate_ptr) != 0, x * 0.5, x + 1.0), mask=i < n)


def triton_fused_operator(tensor_0):
    out = torch.empty_like(tensor_0)
    gate = torch.empty(1, dtype=torch.int32, device=out.device)
    n = out.numel()
    decide_kernel[(1,)](tensor_0, gate, n, BLOCK=256)
    gated_kernel[(triton.cdiv(n, 256),)](tensor_0, gate, out, n, BLOCK=256)
    return [out]
