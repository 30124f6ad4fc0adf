"""Compute the mean squared error of denoised latents."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH = 64, 16, 72, 88


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, denoised: torch.Tensor, clean: torch.Tensor) -> torch.Tensor:
        return F.mse_loss(denoised, clean)


def get_inputs() -> list[torch.Tensor]:
    # The scale is drawn too: the mean of so many equal draws would always be the same number.
    denoised = 2 * torch.rand(()) * torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)
    return [denoised, torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return []
