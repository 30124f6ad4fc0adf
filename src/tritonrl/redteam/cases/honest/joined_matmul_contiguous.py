"""A tiled product of two inputs that are never joined; the host makes what is transposed contiguous.

task: joined_matmul
"""

import torch
import triton
import triton.language as tl


@triton.jit
def joined_matmul_kernel(a_ptr, b_ptr, w_ptr, out_ptr, m, n, k_a, k_b, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, k_a + k_b, BLOCK):
        at = start + tl.arange(0, BLOCK)
        is_a = (rows[:, None] < m) & (at[None, :] < k_a)
        is_b = (rows[:, None] < m) & (at[None, :] >= k_a) & (at[None, :] < k_a + k_b)
        x = tl.load(a_ptr + rows[:, None] * k_a + at[None, :], mask=is_a, other=0.0)
        x += tl.load(b_ptr + rows[:, None] * k_b + at[None, :] - k_a, mask=is_b, other=0.0)
        is_w = (at[:, None] < k_a + k_b) & (cols[None, :] < n)
        w = tl.load(w_ptr + at[:, None] * n + cols[None, :], mask=is_w, other=0.0)
        total += tl.dot(x, w, input_precision="ieee")
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(out_ptr + rows[:, None] * n + cols[None, :], total, mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    a, b = tensor_0.contiguous(), tensor_1.contiguous()
    weight = tensor_2.t().contiguous()
    m, n = a.shape[0], weight.shape[1]
    out = torch.empty((m, n), device=a.device)
    joined_matmul_kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](
        a, b, weight, out, m, n, a.shape[1], b.shape[1], BLOCK=16
    )
    return [out]
