"""Convolution of every channel with its own 3x3 kernel."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel_size, groups=channels)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 9, 11)]


def get_init_inputs():
    return [6, 3]
