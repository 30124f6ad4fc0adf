"""Normalise tokens, then scale and shift them as each example's condition says."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, WIDTH = 16, 256, 1152


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, tokens: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
        normal = F.layer_norm(tokens, (self.width,), eps=1e-6)
        return normal * (1 + scale[:, None, :]) + shift[:, None, :]


def get_inputs() -> list[torch.Tensor]:
    # Tokens differ in level and scale: standard normal ones are normalised already.
    tokens = torch.randn(BATCH, TOKENS, WIDTH) * (0.5 + torch.rand(BATCH, TOKENS, 1))
    return [
        tokens + torch.randn(BATCH, TOKENS, 1),
        0.3 * torch.randn(BATCH, WIDTH),
        0.3 * torch.randn(BATCH, WIDTH),
    ]


def get_init_inputs() -> list:
    return [WIDTH]
