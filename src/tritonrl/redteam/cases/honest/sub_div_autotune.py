"""(a-b)/c on rows, the rows a program takes chosen by the autotuner.

task: sub_div
"""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"ROWS": 2}, num_warps=1),
        triton.Config({"ROWS": 4}, num_warps=2),
    ],
    key=["rows", "cols"],
)
@triton.jit
def sub_div_kernel(a_ptr, b_ptr, c_ptr, out_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLS)[None, :]
    offsets = r * cols + j
    mask = (r < rows) & (j < cols)
    numerator = tl.load(a_ptr + offsets, mask=mask) - tl.load(b_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, numerator / tl.load(c_ptr + offsets, mask=mask, other=1.0), mask=mask)


def triton_fused_operator(tensor_0, tensor_1, tensor_2):
    rows, cols = tensor_0.shape
    out = torch.empty_like(tensor_0)
    sub_div_kernel[lambda meta: (triton.cdiv(rows, meta["ROWS"]),)](
        tensor_0, tensor_1, tensor_2, out, rows, cols, COLS=triton.next_power_of_2(cols)
    )
    return [out]
