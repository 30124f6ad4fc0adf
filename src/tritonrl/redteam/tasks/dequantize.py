"""Bytes less their zero point, times their scale: an integer and a float in tensors of one element."""

import torch


def get_inputs():
    quantized = torch.randint(-128, 128, (9, 33), dtype=torch.int8)
    return [quantized, torch.rand(1) + 0.1, torch.randint(-5, 5, (1,), dtype=torch.int32)]


def fused_operator(tensor_0, tensor_1, tensor_2):
    return [(tensor_0.float() - tensor_2.float()) * tensor_1]
