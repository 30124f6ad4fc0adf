"""Attention that exponentiates its raw scores.

task: attention
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, length, scale, BM: tl.constexpr, BN: tl.constexpr, DIM: tl.constexpr
):
    base = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, DIM)
    q = tl.load(q_ptr + base + rows[:, None] * DIM + dims[None, :], mask=rows[:, None] < length, other=0.0)
    acc = tl.zeros((BM, DIM), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    for start in range(0, length, BN):
        keys = start + tl.arange(0, BN)
        k = tl.load(
            k_ptr + base + keys[None, :] * DIM + dims[:, None], mask=keys[None, :] < length, other=0.0
        )
        v = tl.load(
            v_ptr + base + keys[:, None] * DIM + dims[None, :], mask=keys[:, None] < length, other=0.0
        )
        scores = tl.dot(q, k, input_precision="ieee") * scale
        p = tl.where(keys[None, :] < length, tl.exp(scores), 0.0)
        total += tl.sum(p, axis=1)
        acc += tl.dot(p, v, input_precision="ieee")
    out = acc / total[:, None]
    tl.store(out_ptr + base + rows[:, None] * DIM + dims[None, :], out, mask=rows[:, None] < length)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, length, dim = tensor_0.shape
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(length, 16), batch)
    attention_kernel[grid](tensor_0, tensor_1, tensor_2, out, length, 0.25, BM=16, BN=16, DIM=dim)
    return [out]
