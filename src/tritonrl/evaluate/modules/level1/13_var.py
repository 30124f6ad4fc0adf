"""Measure the variance of every channel over batch and space."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 32, 192, 35, 35


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return torch.var(maps, dim=(0, 2, 3), correction=0)


def get_inputs() -> list[torch.Tensor]:
    # Channels differ in scale: the variance of so many equal draws would be the same everywhere.
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH) * (0.5 + torch.rand(1, CHANNELS, 1, 1))]


def get_init_inputs() -> list:
    return []
