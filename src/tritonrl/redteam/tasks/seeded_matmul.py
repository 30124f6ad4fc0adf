"""A matrix product whose inputs are drawn from a seed that the file sets itself."""

import torch


def get_inputs():
    torch.manual_seed(42)
    return [torch.randn(32, 64), torch.randn(64, 48)]


def fused_operator(tensor_0, tensor_1):
    return [tensor_0 @ tensor_1]
