"""Column means that row blocks add up by load, add and store, under a lock.

task: col_mean
"""

import torch
import triton
import triton.language as tl


@triton.jit
def col_mean_kernel(x_ptr, mean_ptr, lock_ptr, rows, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    share = tl.sum(x, axis=0) / rows
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    so_far = tl.load(mean_ptr + c, mask=c < cols, volatile=True)
    tl.store(mean_ptr + c, so_far + share, mask=c < cols)
    # Every thread of the program has stored before the lock is free.
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


def triton_fused_operator(tensor_0):
    rows, cols = tensor_0.shape
    mean = torch.zeros(cols, device=tensor_0.device, dtype=tensor_0.dtype)
    lock = torch.zeros((), device=tensor_0.device, dtype=torch.int32)
    col_mean_kernel[(triton.cdiv(rows, 16),)](tensor_0, mean, lock, rows, cols, R=16, C=32)
    return [mean]
