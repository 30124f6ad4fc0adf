"""Normalise, activate and filter feature maps, the half block of a diffusion network."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS = 2, 128, 64, 96, 96
GROUPS = 16


class Model(nn.Module):
    def __init__(self, groups: int, channels: int, filters: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.conv = nn.Conv2d(channels, filters, 3, padding=1)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.conv(F.silu(self.norm(maps)))


def get_inputs() -> list[torch.Tensor]:
    # Channels differ in level and scale: standard normal ones are normalised already.
    scale, level = 0.5 + torch.rand(BATCH, CHANNELS, 1, 1), torch.randn(BATCH, CHANNELS, 1, 1)
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH) * scale + level]


def get_init_inputs() -> list:
    return [GROUPS, CHANNELS, FILTERS]
