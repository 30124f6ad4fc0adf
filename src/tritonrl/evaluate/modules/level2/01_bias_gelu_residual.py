"""Add a bias, activate with GELU and add the residual stream."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, WIDTH = 8, 512, 1280


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(0.5 * torch.randn(width))

    def forward(self, hidden: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return residual + F.gelu(hidden + self.bias)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, WIDTH), torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH]
