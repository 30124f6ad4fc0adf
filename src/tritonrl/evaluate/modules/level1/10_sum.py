"""Add up a bag of embeddings for each example."""

import torch
from torch import nn

EXAMPLES, BAG, WIDTH = 600, 150, 128


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, embeddings: torch.Tensor) -> torch.Tensor:
        return embeddings.sum(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(EXAMPLES, BAG, WIDTH)]


def get_init_inputs() -> list:
    return []
