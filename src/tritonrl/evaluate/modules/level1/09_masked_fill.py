"""Put a very small score wherever attention may not look."""

import torch
from torch import nn

BATCH, HEADS, TOKENS = 6, 12, 420
FORBIDDEN = -10000.0


class Model(nn.Module):
    def __init__(self, forbidden: float) -> None:
        super().__init__()
        self.forbidden = forbidden

    def forward(self, scores: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        return scores.masked_fill(padding, self.forbidden)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, TOKENS, TOKENS), torch.rand(BATCH, 1, 1, TOKENS) > 0.8]


def get_init_inputs() -> list:
    return [FORBIDDEN]
