"""Activate the wave features of a vocoder with a leaky ReLU."""

import torch
from torch import nn

BATCH, CHANNELS, SAMPLES = 6, 128, 16000
SLOPE = 0.1


class Model(nn.Module):
    def __init__(self, slope: float) -> None:
        super().__init__()
        self.activation = nn.LeakyReLU(slope)

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        return self.activation(wave)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, SAMPLES)]


def get_init_inputs() -> list:
    return [SLOPE]
