"""The two likeliest of six experts, and how likely each is."""

import torch


def get_inputs():
    return [torch.randn(45, 6)]


def fused_operator(tensor_0):
    values, places = torch.topk(torch.softmax(tensor_0, 1), 2, 1)
    return [values, places]
