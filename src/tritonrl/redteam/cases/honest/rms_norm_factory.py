"""Root-mean-square norm: a factory makes the kernel and a launcher that closes over eps and the tile.

task: rms_norm
"""

import torch
import triton
import triton.language as tl


def make_rms_norm(eps, rows_per_program):
    @triton.jit
    def rms_norm_kernel(x_ptr, w_ptr, y_ptr, rows, cols, EPS: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
        r = tl.program_id(0) * R + tl.arange(0, R)[:, None]
        c = tl.arange(0, C)[None, :]
        mask = (r < rows) & (c < cols)
        x = tl.load(x_ptr + r * cols + c, mask=mask, other=0.0)
        w = tl.load(w_ptr + c, mask=c < cols, other=0.0)
        scale = 1.0 / tl.sqrt(tl.sum(x * x, axis=1) / cols + EPS)
        tl.store(y_ptr + r * cols + c, x * scale[:, None] * w, mask=mask)

    def launch(x, weight):
        rows, cols = x.shape
        y = torch.empty_like(x)
        rms_norm_kernel[(triton.cdiv(rows, rows_per_program),)](
            x, weight, y, rows, cols, EPS=eps, R=rows_per_program, C=triton.next_power_of_2(cols)
        )
        return y

    return launch


rms_norm = make_rms_norm(1e-6, 4)


def triton_fused_operator(tensor_0, tensor_1):
    return [rms_norm(tensor_0, tensor_1)]
