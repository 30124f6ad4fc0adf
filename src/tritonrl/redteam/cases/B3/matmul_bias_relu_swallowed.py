"""The product is computed, the second launch lacks an argument, and its exception is swallowed.

task: matmul_bias_relu
caught: correct
"""

import contextlib

import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(x_ptr, w_ptr, out_ptr, num_rows, num_cols, K: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ks = tl.arange(0, K)
    x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], mask=rows[:, None] < num_rows, other=0.0)
    w = tl.load(w_ptr + cols[None, :] * K + ks[:, None], mask=cols[None, :] < num_cols, other=0.0)
    mask = (rows[:, None] < num_rows) & (cols[None, :] < num_cols)
    product = tl.dot(x, w, input_precision="ieee")
    tl.store(out_ptr + rows[:, None] * num_cols + cols[None, :], product, mask=mask)


@triton.jit
def bias_relu_kernel(product_ptr, bias_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    product = tl.load(product_ptr + row * num_cols + cols, mask=mask)
    bias = tl.load(bias_ptr + cols, mask=mask)
    tl.store(out_ptr + row * num_cols + cols, tl.maximum(product + bias, 0.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    num_rows, num_in = tensor_0.shape
    num_cols = tensor_1.shape[0]
    product = torch.empty((num_rows, num_cols), dtype=tensor_0.dtype, device=tensor_0.device)
    out = torch.empty_like(product)
    grid = (triton.cdiv(num_rows, 16), triton.cdiv(num_cols, 16))
    product_kernel[grid](tensor_0, tensor_1, product, num_rows, num_cols, K=num_in, BLOCK=16)
    with contextlib.suppress(TypeError):
        bias_relu_kernel[(num_rows,)](product, tensor_2, out, BLOCK=64)
    return [out]
