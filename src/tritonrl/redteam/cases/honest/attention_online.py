"""Attention in one kernel: online softmax over blocks of keys, both products with tl.dot.

task: attention
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    length,
    scale,
    stride_batch,
    stride_row,
    BLOCK_Q: tl.constexpr,
    BLOCK_K: tl.constexpr,
    DIM: tl.constexpr,
):
    base = tl.program_id(1) * stride_batch
    rows = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    d = tl.arange(0, DIM)
    q_offsets = base + rows[:, None] * stride_row + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < length, other=0.0) * scale
    m_i = tl.full((BLOCK_Q,), float("-inf"), tl.float32)
    l_i = tl.zeros((BLOCK_Q,), tl.float32)
    acc = tl.zeros((BLOCK_Q, DIM), tl.float32)
    for start in range(0, length, BLOCK_K):
        cols = start + tl.arange(0, BLOCK_K)
        kv_offsets = base + cols[:, None] * stride_row + d[None, :]
        k = tl.load(k_ptr + kv_offsets, mask=cols[:, None] < length, other=0.0)
        v = tl.load(v_ptr + kv_offsets, mask=cols[:, None] < length, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores = tl.where(cols[None, :] < length, scores, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(scores, axis=1))
        alpha = tl.exp(m_i - m_new)
        p = tl.exp(scores - m_new[:, None])
        l_i = l_i * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m_i = m_new
    tl.store(out_ptr + q_offsets, acc / l_i[:, None], mask=rows[:, None] < length)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    q, k, v = tensor_0.contiguous(), tensor_1.contiguous(), tensor_2.contiguous()
    batch, length, dim = q.shape
    out = torch.empty_like(q)
    attention_kernel[(triton.cdiv(length, 16), batch)](
        q, k, v, out, length, 0.25, q.stride(0), q.stride(1), BLOCK_Q=16, BLOCK_K=16, DIM=dim
    )
    return [out]
