"""Bring images from 0 to 255 to the mean and deviation that a network was trained with."""

import torch
from torch import nn

BATCH, COLOURS, HEIGHT, WIDTH = 40, 3, 240, 320
MEAN, DEVIATION = (0.47, 0.44, 0.40), (0.25, 0.24, 0.26)


class Model(nn.Module):
    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self, mean: tuple[float, ...], deviation: tuple[float, ...]) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean)[:, None, None])
        self.register_buffer("deviation", torch.tensor(deviation)[:, None, None])

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return (images / 255 - self.mean) / self.deviation


def get_inputs() -> list[torch.Tensor]:
    return [255 * torch.rand(BATCH, COLOURS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [MEAN, DEVIATION]
