"""Activate the hidden layer of a transformer's MLP with GELU in its tanh form."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, TOKENS, HIDDEN = 8, 577, 3072


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return F.gelu(hidden, approximate="tanh")


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, HIDDEN)]


def get_init_inputs() -> list:
    return []
