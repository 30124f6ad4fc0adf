"""Product of two matrices of any size."""

import torch

m, k, n = 32, 48, 64
VARYING = ("m", "k", "n")


def get_inputs():
    return [torch.randn(m, k), torch.randn(k, n)]


def fused_operator(tensor_0, tensor_1):
    return [tensor_0 @ tensor_1]
