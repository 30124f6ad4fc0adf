"""Two matrices side by side, one of them given transposed, times a third."""

import torch


def get_inputs():
    return [torch.randn(21, 13), torch.randn(14, 21).t(), torch.randn(19, 27)]


def fused_operator(tensor_0, tensor_1, tensor_2):
    return [torch.cat([tensor_0, tensor_1], 1) @ tensor_2.t()]
