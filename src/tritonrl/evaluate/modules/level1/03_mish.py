"""Activate the grid features of an object detector with Mish."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, GRID = 16, 255, 38


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return F.mish(features)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, GRID, GRID)]


def get_init_inputs() -> list:
    return []
