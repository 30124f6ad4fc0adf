"""Mirror a batch of images from left to right."""

import torch
from torch import nn

BATCH, COLOURS, HEIGHT, WIDTH = 48, 3, 224, 224


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return torch.flip(images, dims=(-1,))


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(BATCH, COLOURS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return []
