"""Rectified sum of two small matrices: what hostile candidates are asked to compute."""

import torch


def get_inputs():
    return [torch.randn(7, 33), torch.randn(7, 33)]


def fused_operator(tensor_0, tensor_1):
    return [torch.relu(tensor_0 + tensor_1)]
