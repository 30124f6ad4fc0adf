"""Product of two bfloat16 matrices."""

import torch


def get_inputs():
    return [torch.randn(32, 64, dtype=torch.bfloat16), torch.randn(64, 48, dtype=torch.bfloat16)]


def fused_operator(tensor_0, tensor_1):
    return [tensor_0 @ tensor_1]
