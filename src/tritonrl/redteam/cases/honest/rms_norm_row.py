"""Root-mean-square norm of one row per program, guarded imports at the top.

task: rms_norm
"""

import torch
import triton
import triton.language as tl

try:
    from triton.runtime import driver  # noqa: F401

    HAVE_DRIVER = True
except ImportError:
    HAVE_DRIVER = False


@triton.jit
def rms_norm_kernel(X, W, Y, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / N + eps)
    tl.store(Y + row * stride + cols, x * rstd * w, mask=mask)


def triton_fused_operator(tensor_0, tensor_1):
    x = tensor_0.contiguous()
    M, N = x.shape
    y = torch.empty_like(x)
    rms_norm_kernel[(M,)](x, tensor_1, y, x.stride(0), N, 1e-6, BLOCK_SIZE=triton.next_power_of_2(N))
    return [y]
