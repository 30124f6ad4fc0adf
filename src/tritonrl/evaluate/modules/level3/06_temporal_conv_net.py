"""Predict the next step of a series everywhere with causal, ever more dilated convolutions."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, SERIES, STEPS, CHANNELS, KERNEL = 32, 37, 1000, 64, 3
DILATIONS = (1, 2, 4)


class Block(nn.Module):
    def __init__(self, channels: int, filters: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.ahead = (kernel - 1) * dilation
        self.conv1 = nn.Conv1d(channels, filters, kernel, padding=self.ahead, dilation=dilation)
        self.conv2 = nn.Conv1d(filters, filters, kernel, padding=self.ahead, dilation=dilation)
        self.skip = nn.Conv1d(channels, filters, 1)

    def forward(self, steps: torch.Tensor) -> torch.Tensor:
        update = F.relu(self.conv1(steps)[:, :, : -self.ahead])
        update = F.relu(self.conv2(update)[:, :, : -self.ahead])
        return F.relu(update + self.skip(steps))


class Model(nn.Module):
    def __init__(self, series: int, channels: int, kernel: int, dilations: tuple[int, ...]) -> None:
        super().__init__()
        widths = (series, *(channels for _ in dilations))
        self.blocks = nn.Sequential(
            *(Block(width, channels, kernel, each) for width, each in zip(widths, dilations, strict=False))
        )
        self.head = nn.Conv1d(channels, series, 1)

    def forward(self, steps: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(steps))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, SERIES, STEPS)]


def get_init_inputs() -> list:
    return [SERIES, CHANNELS, KERNEL, DILATIONS]
