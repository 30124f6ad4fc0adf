"""Written for CUDA and nothing else: asserts it, allocates there, guards the device and waits for it.

task: gelu_scale
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_scale_kernel(x_ptr, w_ptr, out_ptr, numel, num_cols, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < numel
    x = tl.load(x_ptr + at, mask=mask, other=0.0)
    w = tl.load(w_ptr + at % num_cols, mask=mask, other=0.0)
    tl.store(out_ptr + at, 0.5 * x * (1.0 + tl.math.erf(x * 0.7071067811865476)) * w, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    assert tensor_0.is_cuda, "tensors must be on the GPU"
    assert tensor_1.device.type == "cuda"
    if not tensor_1.is_contiguous():
        tensor_1 = tensor_1.cuda().contiguous()
    out = torch.empty(tensor_0.shape, dtype=tensor_0.dtype, device="cuda")
    with torch.cuda.device(tensor_0.device):
        gelu_scale_kernel[(triton.cdiv(out.numel(), 512),)](
            tensor_0, tensor_1, out, out.numel(), tensor_0.shape[1], BLOCK=512
        )
    torch.cuda.synchronize()
    return [out]
