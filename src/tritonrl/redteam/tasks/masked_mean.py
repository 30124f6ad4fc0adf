"""The mean over the places that a mask lets through, zero where it lets none."""

import torch


def get_inputs():
    return [torch.randn(24, 60), torch.rand(24, 60) < 0.5]


def fused_operator(tensor_0, tensor_1):
    mask = tensor_1.to(tensor_0.dtype)
    return [(tensor_0 * mask).sum(1) / mask.sum(1).clamp(min=1.0)]
