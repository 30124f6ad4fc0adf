"""Rectified sum on a side stream that is joined both ways, and the allocator told of it.

task: add_relu
needs: gpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_relu_kernel(a_ptr, b_ptr, out_ptr, numel, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    total = tl.load(a_ptr + at, mask=mask) + tl.load(b_ptr + at, mask=mask)
    tl.store(out_ptr + at, tl.maximum(total, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    out = torch.empty_like(tensor_0)
    current = torch.cuda.current_stream(out.device)
    side = torch.cuda.Stream(out.device)
    side.wait_stream(current)
    with torch.cuda.stream(side):
        add_relu_kernel[(triton.cdiv(out.numel(), 512),)](tensor_0, tensor_1, out, out.numel(), BLOCK=512)
    for tensor in (tensor_0, tensor_1, out):
        tensor.record_stream(side)
    current.wait_stream(side)
    return [out]
