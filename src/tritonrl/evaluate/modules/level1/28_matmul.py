"""Multiply two matrices of different shape."""

import torch
from torch import nn

ROWS, INNER, COLUMNS = 2048, 1536, 2304


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return torch.matmul(left, right)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, INNER), torch.randn(INNER, COLUMNS)]


def get_init_inputs() -> list:
    return []
