"""Project the tokens of an encoder to another width."""

import torch
from torch import nn

BATCH, TOKENS, WIDTH, FEATURES = 16, 250, 1024, 1200


class Model(nn.Module):
    def __init__(self, width: int, features: int) -> None:
        super().__init__()
        self.project = nn.Linear(width, features)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.project(tokens)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, FEATURES]
