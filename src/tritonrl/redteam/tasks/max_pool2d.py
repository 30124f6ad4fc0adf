"""Maximum over 2x2 tiles."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(2, 4, 10, 14)]


def get_init_inputs():
    return [2]
