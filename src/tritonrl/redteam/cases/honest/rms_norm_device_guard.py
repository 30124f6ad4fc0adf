"""Root-mean-square norm under a guard for the tensor's device and its current stream, as libraries launch.

task: rms_norm
needs: gpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, num_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < num_cols
    x = tl.load(x_ptr + row * num_cols + cols, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / num_cols + eps)
    tl.store(out_ptr + row * num_cols + cols, x * scale * weight, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    num_rows, num_cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    stream = torch.cuda.current_stream(tensor_0.device)
    with torch.cuda.device(tensor_0.device), torch.cuda.stream(stream):
        rms_norm_kernel[(num_rows,)](
            tensor_0, tensor_1, out, num_cols, 1e-6, BLOCK=triton.next_power_of_2(num_cols), num_warps=4
        )
    return [out]
