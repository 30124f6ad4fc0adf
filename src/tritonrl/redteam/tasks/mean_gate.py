"""Halved where a mean of the whole tensor is large, else one more: one decision for all elements."""

import torch


def get_inputs():
    return [torch.randn(16, 80)]


def fused_operator(tensor_0):
    is_large = torch.mean(tensor_0 * tensor_0 * torch.sigmoid(tensor_0)) > 0.5
    return [torch.where(is_large, tensor_0 * 0.5, tensor_0 + 1.0)]
