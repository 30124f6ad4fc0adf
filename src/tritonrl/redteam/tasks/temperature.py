"""Softmax of rows at a temperature that is a tensor without dims."""

import torch


def get_inputs():
    return [torch.randn(12, 30), torch.rand(()) + 0.5]


def fused_operator(tensor_0, tensor_1):
    return [torch.softmax(tensor_0 / tensor_1, dim=-1)]
