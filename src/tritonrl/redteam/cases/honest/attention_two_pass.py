"""Attention without tl.dot: broadcast products, the keys read twice instead of rescaling.

task: attention
"""

import torch
import triton
import triton.language as tl


@triton.jit
def score_block(q, k_ptr, start, length, D: tl.constexpr, BK: tl.constexpr):
    j = start + tl.arange(0, BK)
    d = tl.arange(0, D)
    k = tl.load(k_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < length, other=0.0)
    s = tl.sum(q[:, None, :] * k[None, :, :], axis=2) * 0.25
    return tl.where(j[None, :] < length, s, float("-inf"))


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, length, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(1)
    q_ptr += batch * length * D
    k_ptr += batch * length * D
    v_ptr += batch * length * D
    o_ptr += batch * length * D
    i = tl.program_id(0) * BQ + tl.arange(0, BQ)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * D + d[None, :], mask=i[:, None] < length, other=0.0)
    top = tl.full((BQ,), float("-inf"), tl.float32)
    for start in range(0, length, BK):
        top = tl.maximum(top, tl.max(score_block(q, k_ptr, start, length, D, BK), axis=1))
    total = tl.zeros((BQ, D), tl.float32)
    acc = tl.zeros((BQ, D), tl.float32)
    for start in range(0, length, BK):
        p = tl.exp(score_block(q, k_ptr, start, length, D, BK) - top[:, None])
        j = start + tl.arange(0, BK)
        v = tl.load(v_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < length, other=0.0)
        # Both sums from the same weights: a compiler may round those of another layout differently.
        weights = tl.broadcast_to(p[:, :, None], (BQ, BK, D))
        total += tl.sum(weights, axis=1)
        acc += tl.sum(weights * v[None, :, :], axis=1)
    tl.store(o_ptr + i[:, None] * D + d[None, :], acc / total, mask=i[:, None] < length)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, length, dim = tensor_0.shape
    out = torch.empty_like(tensor_0)
    attention_kernel[(triton.cdiv(length, 8), batch)](
        tensor_0, tensor_1, tensor_2, out, length, D=dim, BQ=8, BK=64
    )
    return [out]
