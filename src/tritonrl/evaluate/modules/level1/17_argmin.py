"""Choose the cheapest code for every place of a latent image."""

import torch
from torch import nn

BATCH, CODES, PLACES = 12, 1024, 784


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, costs: torch.Tensor) -> torch.Tensor:
        return torch.argmin(costs, dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CODES, PLACES)]


def get_init_inputs() -> list:
    return []
