"""Project, scale every channel by a learned factor and add the residual stream."""

import torch
from torch import nn

BATCH, TOKENS, HIDDEN, WIDTH = 16, 197, 1536, 384


class Model(nn.Module):
    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        self.project = nn.Linear(hidden, width)
        self.scale = nn.Parameter(0.3 * torch.randn(width))

    def forward(self, hidden: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return residual + self.project(hidden) * self.scale


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, HIDDEN), torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [HIDDEN, WIDTH]
