"""Rows as int8, and what they were divided by."""

import torch


def get_inputs():
    return [torch.randn(19, 77)]


def fused_operator(tensor_0):
    scale = tensor_0.abs().amax(1, keepdim=True) / 127
    return [torch.round(tensor_0 / scale).to(torch.int8), scale]
