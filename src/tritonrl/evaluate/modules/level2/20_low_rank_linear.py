"""Apply a linear layer with a low-rank correction."""

import torch
from torch import nn

TOKENS, WIDTH, FEATURES, RANK = 2000, 1408, 1408, 24
ALPHA = 48.0


class Model(nn.Module):
    def __init__(self, width: int, features: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.base = nn.Linear(width, features)
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, features, bias=False)
        self.scale = alpha / rank

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.base(tokens) + self.scale * self.up(self.down(tokens))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, FEATURES, RANK, ALPHA]
