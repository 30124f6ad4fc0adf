"""Softmax over the places that a mask lets through; of a row without any, all places alike."""

import torch


def get_inputs():
    mask = torch.rand(12, 40) < 0.7
    mask[3] = False
    return [torch.randn(12, 40), mask]


def fused_operator(tensor_0, tensor_1):
    return [torch.softmax(tensor_0.masked_fill(~tensor_1, -1e9), 1)]
