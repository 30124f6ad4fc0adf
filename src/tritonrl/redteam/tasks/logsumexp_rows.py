"""Log of the sum of exponentials of every row."""

import torch


def get_inputs():
    return [torch.randn(18, 75)]


def fused_operator(tensor_0):
    return [torch.logsumexp(tensor_0, 1)]
