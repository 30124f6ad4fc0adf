"""Track the highest price so far, five years of trading days for each share."""

import torch
from torch import nn

SHARES, DAYS = 5000, 1260


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, prices: torch.Tensor) -> torch.Tensor:
        return torch.cummax(prices, dim=1).values


def get_inputs() -> list[torch.Tensor]:
    return [torch.cumsum(torch.randn(SHARES, DAYS), dim=1)]


def get_init_inputs() -> list:
    return []
