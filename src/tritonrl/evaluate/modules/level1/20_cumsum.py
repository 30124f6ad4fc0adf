"""Integrate many series over time."""

import torch
from torch import nn

SERIES, STEPS = 2000, 4000


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, increments: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(increments, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(SERIES, STEPS)]


def get_init_inputs() -> list:
    return []
