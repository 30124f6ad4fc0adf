"""Filter every channel by itself with a large kernel."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 16, 192, 56, 56
KERNEL = 7


class Model(nn.Module):
    def __init__(self, channels: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel, padding=kernel // 2, groups=channels, bias=False)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.conv(maps)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, KERNEL]
