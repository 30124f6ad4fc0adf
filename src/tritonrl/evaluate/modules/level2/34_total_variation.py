"""Measure how rough each image is by the differences of neighbouring pixels."""

import torch
from torch import nn

BATCH, COLOURS, HEIGHT, WIDTH = 20, 3, 288, 352


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        down = images[:, :, 1:, :] - images[:, :, :-1, :]
        right = images[:, :, :, 1:] - images[:, :, :, :-1]
        return down.abs().mean(dim=(1, 2, 3)) + right.abs().mean(dim=(1, 2, 3))


def get_inputs() -> list[torch.Tensor]:
    # Images differ in contrast: otherwise all would be equally rough.
    return [torch.rand(BATCH, 1, 1, 1) * torch.rand(BATCH, COLOURS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return []
