"""Normalise the channels of a diffusion network's feature maps in groups."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 8, 320, 48, 72
GROUPS = 32


class Model(nn.Module):
    def __init__(self, groups: int, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.norm(maps)


def get_inputs() -> list[torch.Tensor]:
    # Channels differ in level and scale: standard normal ones are normalised already.
    scale, level = 0.5 + torch.rand(BATCH, CHANNELS, 1, 1), torch.randn(BATCH, CHANNELS, 1, 1)
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH) * scale + level]


def get_init_inputs() -> list:
    return [GROUPS, CHANNELS]
