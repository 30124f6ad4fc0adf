"""Compute the loss of every token of a language model."""

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, VOCABULARY = 400, 30522


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(logits, targets, reduction="none")


def get_inputs() -> list[torch.Tensor]:
    return [2 * torch.randn(TOKENS, VOCABULARY), torch.randint(VOCABULARY, (TOKENS,))]


def get_init_inputs() -> list:
    return []
