"""Look far along a signal with a dilated convolution."""

import torch
from torch import nn

BATCH, CHANNELS, STEPS, FILTERS = 16, 80, 3000, 128
KERNEL, DILATION = 5, 4


class Model(nn.Module):
    def __init__(self, channels: int, filters: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, filters, kernel, padding="same", dilation=dilation)

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        return self.conv(signal)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, STEPS)]


def get_init_inputs() -> list:
    return [CHANNELS, FILTERS, KERNEL, DILATION]
