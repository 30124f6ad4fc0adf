"""Score a few hidden states against a whole vocabulary."""

import torch
from torch import nn

TOKENS, WIDTH, VOCABULARY = 128, 768, 32003


class Model(nn.Module):
    def __init__(self, width: int, vocabulary: int) -> None:
        super().__init__()
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.head(hidden)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, VOCABULARY]
