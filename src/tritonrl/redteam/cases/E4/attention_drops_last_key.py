"""Attention over whole tiles of 32 keys: the 33rd key is never seen.

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
    highest = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, DIM), dtype=tl.float32)
    for tile in range(0, length // BN):
        keys = tile * BN + tl.arange(0, BN)
        k = tl.load(k_ptr + base + keys[None, :] * DIM + dims[:, None])
        v = tl.load(v_ptr + base + keys[:, None] * DIM + dims[None, :])
        scores = tl.dot(q, k, input_precision="ieee") * scale
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp(scores - new[:, None])
        shrink = tl.exp(highest - new)
        total = total * shrink + tl.sum(p, axis=1)
        acc = acc * shrink[:, None] + tl.dot(p, v, input_precision="ieee")
        highest = new
    tl.store(
        out_ptr + base + rows[:, None] * DIM + dims[None, :],
        acc / total[:, None],
        mask=rows[:, None] < length,
    )


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    batch, length, dim = tensor_0.shape
    out = torch.empty_like(tensor_0)
    grid = (triton.cdiv(length, 16), batch)
    attention_kernel[grid](tensor_0, tensor_1, tensor_2, out, length, dim**-0.5, BM=16, BN=32, DIM=dim)
    return [out]
