"""Mix channels by groups, shuffle them between the groups and mix again."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 16, 240, 28, 28
GROUPS = 3


class Model(nn.Module):
    def __init__(self, channels: int, groups: int) -> None:
        super().__init__()
        self.groups = groups
        self.first = nn.Conv2d(channels, channels, 1, groups=groups, bias=False)
        self.second = nn.Conv2d(channels, channels, 1, groups=groups, bias=False)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = maps.shape
        mixed = F.relu(self.first(maps))
        grouped = mixed.reshape(batch, self.groups, channels // self.groups, height, width)
        return self.second(grouped.transpose(1, 2).reshape(batch, channels, height, width))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, GROUPS]
