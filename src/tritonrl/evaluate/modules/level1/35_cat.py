"""Join a skip connection to the decoder's feature maps."""

import torch
from torch import nn

BATCH, SKIPPED, DECODED, HEIGHT, WIDTH = 8, 64, 96, 96, 120


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, skipped: torch.Tensor, decoded: torch.Tensor) -> torch.Tensor:
        return torch.cat((skipped, decoded), dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, SKIPPED, HEIGHT, WIDTH), torch.randn(BATCH, DECODED, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return []
