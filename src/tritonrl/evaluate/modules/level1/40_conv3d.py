"""Filter short video clips in space and time."""

import torch
from torch import nn

BATCH, CHANNELS, FRAMES, HEIGHT, WIDTH, FILTERS = 2, 32, 16, 56, 56, 48


class Model(nn.Module):
    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(channels, filters, 3, padding=1)

    def forward(self, clips: torch.Tensor) -> torch.Tensor:
        return self.conv(clips)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, FRAMES, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, FILTERS]
