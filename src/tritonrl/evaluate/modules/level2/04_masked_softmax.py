"""Turn scores into weights at a temperature, without the keys that are padding."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, HEADS, QUERIES, KEYS = 4, 16, 350, 450
TEMPERATURE = 0.7


class Model(nn.Module):
    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(self, scores: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        scores = (scores / self.temperature).masked_fill(padding, -1e9)
        return F.softmax(scores, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, HEADS, QUERIES, KEYS), torch.rand(BATCH, 1, 1, KEYS) > 0.7]


def get_init_inputs() -> list:
    return [TEMPERATURE]
