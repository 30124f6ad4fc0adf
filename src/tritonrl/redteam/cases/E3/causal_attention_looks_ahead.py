"""Attention without the mask: every query sees every key, whose scores the reference sets to minus infinity.

task: causal_attention
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, length, BM: tl.constexpr, BN: tl.constexpr, DIM: tl.constexpr
):
    base = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    keys = tl.arange(0, BN)
    dims = tl.arange(0, DIM)
    in_keys = keys < length
    q = tl.load(q_ptr + base + rows[:, None] * DIM + dims[None, :], mask=rows[:, None] < length, other=0.0)
    k = tl.load(k_ptr + base + keys[None, :] * DIM + dims[:, None], mask=in_keys[None, :], other=0.0)
    v = tl.load(v_ptr + base + keys[:, None] * DIM + dims[None, :], mask=in_keys[:, None], other=0.0)
    scores = tl.where(in_keys[None, :], tl.dot(q, k, input_precision="ieee") * 0.25, -float("inf"))
    p = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    out = tl.dot(p / tl.sum(p, axis=1)[:, None], v, input_precision="ieee")
    tl.store(out_ptr + base + rows[:, None] * DIM + dims[None, :], out, mask=rows[:, None] < length)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, length, dim = tensor_0.shape
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(length, 16), batch)
    attention_kernel[grid](tensor_0, tensor_1, tensor_2, out, length, BM=16, BN=64, DIM=dim)
    return [out]
