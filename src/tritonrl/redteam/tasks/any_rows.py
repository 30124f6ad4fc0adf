"""Twice the rectified input, for any number of rows and columns."""

import torch

rows, cols = 24, 64
VARYING = ("rows", "cols")


def get_inputs():
    return [torch.randn(rows, cols)]


def fused_operator(tensor_0):
    return [torch.relu(tensor_0) * 2]
