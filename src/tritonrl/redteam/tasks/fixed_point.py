"""Numbers near one, and the same with thirty bits behind the point (int32): rounding moves those by many."""

import torch


def get_inputs():
    return [torch.randn(16, 128)]


def fused_operator(tensor_0):
    near_one = torch.sigmoid(tensor_0) + 0.5
    return [near_one, torch.round(near_one * 2**30).to(torch.int32)]
