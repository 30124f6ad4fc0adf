"""A functional file: fused_operator() on drawn inputs is a task; a candidate defines
triton_fused_operator()."""

import torch
import torch.nn.functional as F


def get_inputs():
    return [torch.randn(4096, 1000), torch.randn(1000)]


def fused_operator(tensor_0, tensor_1):
    tensor_2 = torch.add(tensor_0, tensor_1)
    tensor_3 = tensor_2 * 0.5
    tensor_4 = F.softmax(tensor_3, dim=1)
    return [tensor_4]
