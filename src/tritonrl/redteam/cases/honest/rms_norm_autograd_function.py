"""Root-mean-square norm behind a torch.autograd.Function, forward only.

task: rms_norm
"""

import torch
import triton
import triton.language as tl


@triton.jit
def mean_square(x, count):
    return tl.sum(x * x, axis=1) / count


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, rows, cols, eps, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0)
    rstd = tl.rsqrt(mean_square(x, cols) + eps)
    w = tl.load(w_ptr + c, mask=c < cols, other=0.0)
    tl.store(y_ptr + r[:, None] * cols + c[None, :], x * rstd[:, None] * w[None, :], mask=mask)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        rows, cols = x.shape
        y = torch.empty_like(x)
        rms_norm_kernel[(triton.cdiv(rows, 8),)](
            x, weight, y, rows, cols, eps, R=8, C=triton.next_power_of_2(cols)
        )
        return y

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError("forward only")


def triton_fused_operator(tensor_0, tensor_1):
    return [RMSNorm.apply(tensor_0, tensor_1, 1e-6)]
