"""Halve the resolution of feature maps with a strided convolution."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS = 8, 64, 112, 112, 144


class Model(nn.Module):
    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, stride=2, padding=1)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.conv(maps)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, FILTERS]
