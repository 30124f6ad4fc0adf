"""Four channels make one of twice the height and width."""

import torch
import torch.nn.functional as F


def get_inputs():
    return [torch.randn(2, 12, 5, 7)]


def fused_operator(tensor_0):
    return [F.pixel_shuffle(tensor_0, 2)]
