"""Batch norm in train mode: normalises by the batch and updates the running statistics."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(4, 6, 5, 7)]


def get_init_inputs():
    return [6]
