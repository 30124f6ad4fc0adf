"""Sines and cosines are a table that one kernel fills on the first call; every call reads it.

task: rotary
needs: interpreter
"""

import math

import torch
import triton
import triton.language as tl

TABLES = {}


@triton.jit
def table_kernel(cos_ptr, sin_ptr, rate, HALF: tl.constexpr):
    place, at = tl.program_id(0), tl.arange(0, HALF)
    angle = place.to(tl.float32) * tl.exp(at.to(tl.float32) * rate)
    tl.store(cos_ptr + place * HALF + at, tl.cos(angle))
    tl.store(sin_ptr + place * HALF + at, tl.sin(angle))


@triton.jit
def turn_kernel(x_ptr, cos_ptr, sin_ptr, left_ptr, right_ptr, length, HALF: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, HALF)
    place = row % length
    cos, sin = tl.load(cos_ptr + place * HALF + at), tl.load(sin_ptr + place * HALF + at)
    even = tl.load(x_ptr + row * 2 * HALF + 2 * at)
    odd = tl.load(x_ptr + row * 2 * HALF + 2 * at + 1)
    tl.store(left_ptr + row * HALF + at, even * cos - odd * sin)
    tl.store(right_ptr + row * HALF + at, even * sin + odd * cos)


def table(length, half, device):
    if (length, half) not in TABLES:
        cos, sin = (torch.empty((length, half), device=device) for _ in range(2))
        table_kernel[(length,)](cos, sin, -math.log(10.0) / half, HALF=half)
        TABLES[length, half] = cos, sin
    return TABLES[length, half]


def triton_fused_operator(tensor_0):
    batch, length, features = tensor_0.shape
    cos, sin = table(length, features // 2, tensor_0.device)
    left, right = (torch.empty((batch, length, features // 2), device=cos.device) for _ in range(2))
    turn_kernel[(batch * length,)](tensor_0, cos, sin, left, right, length, HALF=features // 2)
    return [left, right]
