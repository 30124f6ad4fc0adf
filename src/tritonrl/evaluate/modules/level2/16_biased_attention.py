"""Attend with a learned bias for every pair of places in a window."""

import torch
import torch.nn.functional as F
from torch import nn

WINDOWS, HEADS, PLACES, WIDTH = 256, 6, 49, 32


class Model(nn.Module):
    def __init__(self, heads: int, places: int, width: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(heads, places, places))
        self.scale = width**-0.5

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        scores = torch.matmul(query, key.transpose(-2, -1)) * self.scale
        return torch.matmul(F.softmax(scores + self.bias, dim=-1), value)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(WINDOWS, HEADS, PLACES, WIDTH) for _ in range(3)]


def get_init_inputs() -> list:
    return [HEADS, PLACES, WIDTH]
