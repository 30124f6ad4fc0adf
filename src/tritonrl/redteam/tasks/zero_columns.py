"""Tanh with two columns set to zero by their numbers."""

import torch


def get_inputs():
    return [torch.randn(12, 40)]


def fused_operator(tensor_0):
    out = torch.tanh(tensor_0)
    out[:, torch.tensor([0, 39], device=out.device)] = 0.0
    return [out]
