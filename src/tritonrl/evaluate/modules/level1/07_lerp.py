"""Blend two frames with a matte that has a weight for every pixel."""

import torch
from torch import nn

FRAMES, COLOURS, HEIGHT, WIDTH = 5, 3, 540, 960


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, back: torch.Tensor, front: torch.Tensor, matte: torch.Tensor) -> torch.Tensor:
        return torch.lerp(back, front, matte)


def get_inputs() -> list[torch.Tensor]:
    return [
        torch.rand(FRAMES, COLOURS, HEIGHT, WIDTH),
        torch.rand(FRAMES, COLOURS, HEIGHT, WIDTH),
        torch.rand(FRAMES, 1, HEIGHT, WIDTH),
    ]


def get_init_inputs() -> list:
    return []
