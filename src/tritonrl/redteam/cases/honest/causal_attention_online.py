"""Causal attention block by block, with a running softmax; blocks after the last query are not read.

task: causal_attention
"""

import torch
import triton
import triton.language as tl


@triton.jit
def causal_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, length, BM: tl.constexpr, BN: tl.constexpr, DIM: tl.constexpr
):
    base = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, DIM)
    q = tl.load(q_ptr + base + rows[:, None] * DIM + dims[None, :], mask=rows[:, None] < length, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DIM), tl.float32)
    for start in range(0, tl.minimum(length, (tl.program_id(0) + 1) * BM), BN):
        keys = start + tl.arange(0, BN)
        inside = keys < length
        k = tl.load(k_ptr + base + keys[None, :] * DIM + dims[:, None], mask=inside[None, :], other=0.0)
        v = tl.load(v_ptr + base + keys[:, None] * DIM + dims[None, :], mask=inside[:, None], other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * 0.25
        scores = tl.where(keys[None, :] <= rows[:, None], scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        p = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, axis=1)
        acc = acc * shrink[:, None] + tl.dot(p, v, input_precision="ieee")
        top = higher
    out = acc / total[:, None]
    tl.store(out_ptr + base + rows[:, None] * DIM + dims[None, :], out, mask=rows[:, None] < length)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, length, dim = tensor_0.shape
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(length, 16), batch)
    causal_kernel[grid](tensor_0, tensor_1, tensor_2, out, length, BM=16, BN=16, DIM=dim)
    return [out]
