"""A copy of the input."""

import torch


def get_inputs():
    return [torch.randn(9, 111)]


def fused_operator(tensor_0):
    return [tensor_0.clone()]
