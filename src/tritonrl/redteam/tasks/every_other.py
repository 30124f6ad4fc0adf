"""Sigmoid of every other row and column, which are taken by a pool of one in steps of two."""

import torch
import torch.nn.functional as F


def get_inputs():
    return [torch.randn(2, 3, 12, 12)]


def fused_operator(tensor_0):
    return [torch.sigmoid(F.max_pool2d(tensor_0, kernel_size=1, stride=2))]
