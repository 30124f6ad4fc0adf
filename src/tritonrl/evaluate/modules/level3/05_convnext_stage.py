"""Halve feature maps, then run them through two blocks of a large depthwise kernel and an MLP."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, DEEP = 8, 96, 56, 56, 160


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(0.3 * torch.randn(channels))
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        pixels = self.norm(self.conv(maps).permute(0, 2, 3, 1))
        pixels = self.scale * self.down(F.gelu(self.up(pixels)))
        return maps + pixels.permute(0, 3, 1, 2)


class Model(nn.Module):
    def __init__(self, channels: int, deep: int) -> None:
        super().__init__()
        self.halve = nn.Conv2d(channels, deep, 2, stride=2)
        self.blocks = nn.Sequential(Block(deep), Block(deep))

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.blocks(self.halve(maps))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, DEEP]
