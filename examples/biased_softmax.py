"""A module file: a softmax at a temperature, with a bias that is learned."""

import torch
from torch import nn

NUM_ROWS = 8192 if torch.cuda.is_available() else 8


class BiasedSoftmax(nn.Module):
    def __init__(self, width: int = 4096) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))
        self.temperature = 0.7

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return torch.softmax((scores + self.bias) / self.temperature, dim=-1)


def get_inputs():
    return [torch.randn(NUM_ROWS, 4096)]
