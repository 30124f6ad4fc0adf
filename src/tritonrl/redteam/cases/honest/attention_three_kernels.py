"""Attention in three launches: scores, softmax in place on the scores, product with the values.

task: attention
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(q_ptr, k_ptr, s_ptr, length, D: tl.constexpr, BLOCK: tl.constexpr):
    batch = tl.program_id(2)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + (batch * length + i[:, None]) * D + d[None, :], mask=i[:, None] < length, other=0.0)
    k = tl.load(k_ptr + (batch * length + j[None, :]) * D + d[:, None], mask=j[None, :] < length, other=0.0)
    s = tl.dot(q, k, input_precision="ieee") / 4.0
    mask = (i[:, None] < length) & (j[None, :] < length)
    tl.store(s_ptr + (batch * length + i[:, None]) * length + j[None, :], s, mask=mask)


@triton.jit
def softmax_kernel(s_ptr, rows, length, R: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    j = tl.arange(0, BLOCK)
    offsets = i[:, None] * length + j[None, :]
    mask = (i[:, None] < rows) & (j[None, :] < length)
    s = tl.load(s_ptr + offsets, mask=mask, other=0.0)
    s = tl.where(j[None, :] < length, s, float("-inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    tl.store(s_ptr + offsets, p / tl.sum(p, axis=1)[:, None], mask=mask)


@triton.jit
def values_kernel(p_ptr, v_ptr, o_ptr, length, D: tl.constexpr, BLOCK: tl.constexpr):
    batch = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    for start in range(0, length, BLOCK):
        j = start + tl.arange(0, BLOCK)
        p_mask = (i[:, None] < length) & (j[None, :] < length)
        p = tl.load(p_ptr + (batch * length + i[:, None]) * length + j[None, :], mask=p_mask, other=0.0)
        v = tl.load(
            v_ptr + (batch * length + j[:, None]) * D + d[None, :], mask=j[:, None] < length, other=0.0
        )
        acc = tl.dot(p, v, acc, input_precision="ieee")
    tl.store(o_ptr + (batch * length + i[:, None]) * D + d[None, :], acc, mask=i[:, None] < length)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, length, dim = tensor_0.shape
    scores = torch.empty((batch, length, length), device=tensor_0.device, dtype=torch.float32)
    out = torch.empty_like(tensor_0)
    tiles = triton.cdiv(length, 32)
    scores_kernel[(tiles, tiles, batch)](tensor_0, tensor_1, scores, length, D=dim, BLOCK=32)
    softmax_kernel[(triton.cdiv(batch * length, 16),)](
        scores, batch * length, length, R=16, BLOCK=triton.next_power_of_2(length)
    )
    values_kernel[(tiles, batch)](scores, tensor_2, out, length, D=dim, BLOCK=32)
    return [out]
