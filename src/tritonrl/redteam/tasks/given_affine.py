"""Layer norm whose weight and bias are inputs: ones and zeros, always."""

import torch
import torch.nn.functional as F


def get_inputs():
    return [torch.randn(20, 96), torch.ones(96), torch.zeros(96)]


def fused_operator(tensor_0, tensor_1, tensor_2):
    return [F.layer_norm(tensor_0, (96,), tensor_1, tensor_2)]
