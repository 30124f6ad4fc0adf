"""Pool overlapping windows of the first feature maps by their maximum."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 16, 64, 112, 112


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.pool(maps)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return []
