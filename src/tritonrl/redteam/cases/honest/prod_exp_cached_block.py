"""exp(-a*a)*b with a cached choice of the block size; an abstract stub with a bare pass stays unused.

task: prod_exp
"""

import functools

import torch
import triton
import triton.language as tl


class Launcher:
    """What a launcher has to offer. The first pass over the data is the only pass."""

    def launch(self, a, b):
        pass


@functools.lru_cache(maxsize=32)
def block_size(n):
    return min(1024, triton.next_power_of_2(triton.cdiv(n, 4)))


@triton.jit
def prod_exp_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i < n, other=0.0)
    b = tl.load(b_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, tl.exp(-a * a) * b, mask=i < n)


class FlatLauncher(Launcher):
    def launch(self, a, b):
        out = torch.empty_like(a)
        block = block_size(a.numel())
        prod_exp_kernel[(triton.cdiv(a.numel(), block),)](a, b, out, a.numel(), BLOCK=block)
        return out


def triton_fused_operator(tensor_0, tensor_1):
    return [FlatLauncher().launch(tensor_0, tensor_1)]
