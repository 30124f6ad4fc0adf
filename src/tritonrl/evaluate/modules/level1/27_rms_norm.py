"""Normalise the tokens of a language model by their root mean square."""

import torch
from torch import nn

BATCH, TOKENS, WIDTH = 4, 1000, 2560
EPS = 1e-6


class Model(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + 0.2 * torch.randn(width))
        self.eps = eps

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        mean_square = tokens.pow(2).mean(dim=-1, keepdim=True)
        return tokens * torch.rsqrt(mean_square + self.eps) * self.weight


def get_inputs() -> list[torch.Tensor]:
    # Tokens differ in scale: standard normal ones are normalised already.
    return [torch.randn(BATCH, TOKENS, WIDTH) * (0.5 + torch.rand(BATCH, TOKENS, 1))]


def get_init_inputs() -> list:
    return [WIDTH, EPS]
