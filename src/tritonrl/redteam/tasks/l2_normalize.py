"""Rows divided by their Euclidean length."""

import torch


def get_inputs():
    return [torch.randn(15, 60)]


def fused_operator(tensor_0):
    return [tensor_0 / tensor_0.norm(dim=1, keepdim=True)]
