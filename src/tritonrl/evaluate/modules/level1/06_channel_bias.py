"""Add a learned bias to each channel of a feature map."""

import torch
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 12, 160, 56, 84


class Model(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(0.5 * torch.randn(channels, 1, 1))

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return maps + self.bias


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS]
