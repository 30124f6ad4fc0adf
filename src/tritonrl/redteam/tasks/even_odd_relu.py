"""The positive part of even columns, then that of odd ones."""

import torch


def get_inputs():
    return [torch.randn(14, 36)]


def fused_operator(tensor_0):
    return [torch.relu(torch.cat([tensor_0[:, ::2], tensor_0[:, 1::2]], 1))]
