"""Normalise every channel of every frame over space, as style transfer does."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 4, 64, 180, 320


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.norm(frames)


def get_inputs() -> list[torch.Tensor]:
    # Channels differ in level and scale: standard normal ones are normalised already.
    scale, level = 0.5 + torch.rand(BATCH, CHANNELS, 1, 1), torch.randn(BATCH, CHANNELS, 1, 1)
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH) * scale + level]


def get_init_inputs() -> list:
    return [CHANNELS]
