"""A module file: any nn.Module with get_inputs() is a task."""

import torch
from torch import nn


class ResidualMLP(nn.Module):
    def __init__(self, features: int = 512, hidden: int = 2048) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def get_inputs():
    return [torch.randn(1024, 512)]
