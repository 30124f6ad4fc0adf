"""Normalise every token of a vision transformer over its width."""

import torch
from torch import nn

BATCH, TOKENS, WIDTH = 64, 197, 768


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.norm(tokens)


def get_inputs() -> list[torch.Tensor]:
    # Tokens differ in level and scale: standard normal ones are normalised already.
    scale, level = 0.5 + torch.rand(BATCH, TOKENS, 1), torch.randn(BATCH, TOKENS, 1)
    return [torch.randn(BATCH, TOKENS, WIDTH) * scale + level]


def get_init_inputs() -> list:
    return [WIDTH]
