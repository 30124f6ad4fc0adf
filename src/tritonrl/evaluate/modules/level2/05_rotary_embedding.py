"""Turn the halves of every query by the angle of its position."""

import torch
from torch import nn

BATCH, HEADS, TOKENS, WIDTH = 4, 16, 900, 128
BASE = 10000.0


class Model(nn.Module):
    cosine: torch.Tensor
    sine: torch.Tensor

    def __init__(self, tokens: int, width: int, base: float) -> None:
        super().__init__()
        speeds = base ** -(torch.arange(0, width, 2) / width)
        angles = torch.arange(tokens)[:, None] * speeds
        self.register_buffer("cosine", torch.cos(angles))
        self.register_buffer("sine", torch.sin(angles))

    def forward(self, queries: torch.Tensor) -> torch.Tensor:
        first, second = queries.chunk(2, dim=-1)
        turned_first = first * self.cosine - second * self.sine
        turned_second = second * self.cosine + first * self.sine
        return torch.cat((turned_first, turned_second), dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [TOKENS, WIDTH, BASE]
