"""Run tokens through an MLP whose activation is the square of ReLU."""

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, HIDDEN = 1600, 896, 2816


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.down(F.relu(self.up(tokens)).square())


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, HIDDEN]
