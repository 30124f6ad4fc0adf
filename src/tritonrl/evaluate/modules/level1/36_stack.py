"""Interleave three colour planes into pixels."""

import torch
from torch import nn

BATCH, HEIGHT, WIDTH = 8, 720, 1000


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, red: torch.Tensor, green: torch.Tensor, blue: torch.Tensor) -> torch.Tensor:
        return torch.stack((red, green, blue), dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(BATCH, HEIGHT, WIDTH) for _ in range(3)]


def get_init_inputs() -> list:
    return []
