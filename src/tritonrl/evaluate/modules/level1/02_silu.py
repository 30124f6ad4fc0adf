"""Activate the feature maps of an image network with SiLU."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 16, 72, 112, 112


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return F.silu(maps)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return []
