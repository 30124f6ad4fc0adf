"""Maximum over windows of three, every second position."""

import torch
import torch.nn.functional as F


def get_inputs():
    return [torch.randn(2, 5, 31)]


def fused_operator(tensor_0):
    return [F.max_pool1d(tensor_0, 3, stride=2)]
