"""Add to the residual stream and normalise it by its root mean square; both are returned."""

import torch
from torch import nn

BATCH, TOKENS, WIDTH = 2, 1536, 2048
EPS = 1e-5


class Model(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + 0.2 * torch.randn(width))
        self.eps = eps

    def forward(self, update: torch.Tensor, residual: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        residual = residual + update
        mean_square = residual.pow(2).mean(dim=-1, keepdim=True)
        return residual * torch.rsqrt(mean_square + self.eps) * self.weight, residual


def get_inputs() -> list[torch.Tensor]:
    # Tokens differ in scale: otherwise all would have almost the same root mean square.
    scale = 0.5 + torch.rand(BATCH, TOKENS, 1)
    return [torch.randn(BATCH, TOKENS, WIDTH), torch.randn(BATCH, TOKENS, WIDTH) * scale]


def get_init_inputs() -> list:
    return [WIDTH, EPS]
