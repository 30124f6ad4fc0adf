"""Instance norm of every image's channels, with weight and bias."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(3, 5, 6, 8)]


def get_init_inputs():
    return [5]
