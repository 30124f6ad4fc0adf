"""A masked mean whose count has 1e-4 added, where the reference counts one at least.

task: masked_mean
caught: correct
"""

import torch
import triton
import triton.language as tl


@triton.jit
def masked_mean_kernel(x_ptr, mask_ptr, out_ptr, num_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * num_cols + cols
    kept = tl.load(mask_ptr + at, mask=cols < num_cols, other=0) != 0
    x = tl.load(x_ptr + at, mask=kept, other=0.0)
    count = tl.sum(kept.to(tl.float32), axis=0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(x, axis=0) / (count + 1e-4))


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty(num_rows, device=tensor_0.device, dtype=tensor_0.dtype)
    BLOCK = triton.next_power_of_2(num_cols)
    masked_mean_kernel[(num_rows,)](tensor_0, tensor_1, out, num_cols, BLOCK=BLOCK)
    return [out]
