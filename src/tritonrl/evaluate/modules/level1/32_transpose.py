"""Write the tokens of an image model in channels-first order."""

import torch
from torch import nn

BATCH, TOKENS, WIDTH = 32, 1025, 384


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return tokens.transpose(1, 2).contiguous()


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return []
