"""Attend in linear time: positive features of keys and values are multiplied first."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, HEADS, TOKENS, WIDTH = 4, 8, 2000, 64


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        query, key = F.elu(query) + 1, F.elu(key) + 1
        memory = torch.matmul(key.transpose(-2, -1), value)
        return torch.matmul(query, memory) / value.shape[-2]


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, TOKENS, WIDTH) for _ in range(3)]


def get_init_inputs() -> list:
    return []
