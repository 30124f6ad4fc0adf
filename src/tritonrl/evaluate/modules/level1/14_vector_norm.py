"""Measure the Euclidean length of every embedding of an index."""

import torch
from torch import nn

EMBEDDINGS, WIDTH = 20000, 768


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, embeddings: torch.Tensor) -> torch.Tensor:
        return torch.linalg.vector_norm(embeddings, ord=2, dim=-1, keepdim=True)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(EMBEDDINGS, WIDTH)]


def get_init_inputs() -> list:
    return []
