"""Half the dot product of matching rows."""

import torch


def get_inputs():
    return [torch.randn(16, 120), torch.randn(16, 120)]


def fused_operator(tensor_0, tensor_1):
    return [(tensor_0 * tensor_1).sum(1) * 0.5]
