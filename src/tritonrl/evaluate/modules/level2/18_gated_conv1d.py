"""Filter a sequence, gate one half of the channels with the other and add what came in."""

import torch
from torch import nn

BATCH, CHANNELS, STEPS = 8, 144, 1600
KERNEL = 7


class Model(nn.Module):
    def __init__(self, channels: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, 2 * channels, kernel, padding=kernel // 2)

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        value, gate = self.conv(sequence).chunk(2, dim=1)
        return sequence + value * torch.sigmoid(gate)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, STEPS)]


def get_init_inputs() -> list:
    return [CHANNELS, KERNEL]
