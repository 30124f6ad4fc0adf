"""The class that most of seven voters name; of equal ones the first (int64)."""

import torch
import torch.nn.functional as F


def get_inputs():
    return [torch.randint(0, 5, (60, 7))]


def fused_operator(tensor_0):
    return [F.one_hot(tensor_0, 5).float().sum(1).argmax(1)]
