"""Rows divided by their Euclidean length, which counts as 1e-4 at least."""

import torch


def get_inputs():
    return [torch.randn(15, 60)]


def fused_operator(tensor_0):
    return [torch.nn.functional.normalize(tensor_0, dim=1, eps=1e-4)]
