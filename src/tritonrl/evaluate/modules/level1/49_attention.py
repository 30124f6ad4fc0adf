"""Attend from a few latent queries to many tokens."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, HEADS, QUERIES, KEYS, WIDTH = 8, 8, 256, 1500, 64


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(query, key, value)


def get_inputs() -> list[torch.Tensor]:
    return [
        torch.randn(BATCH, HEADS, QUERIES, WIDTH),
        torch.randn(BATCH, HEADS, KEYS, WIDTH),
        torch.randn(BATCH, HEADS, KEYS, WIDTH),
    ]


def get_init_inputs() -> list:
    return []
