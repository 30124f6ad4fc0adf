"""Takes a mean over all batches so far off; the first batch finds zeros there."""

import torch
from torch import nn


class Model(nn.Module):
    center: torch.Tensor

    def __init__(self, features):
        super().__init__()
        self.register_buffer("center", torch.zeros(features))

    def forward(self, x):
        self.center.copy_(0.9 * self.center + 0.1 * x.mean(0))
        return x - self.center


def get_inputs():
    return [torch.randn(32, 48)]


def get_init_inputs():
    return [48]
