"""Weigh the channels of feature maps by what they hold on average."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, SQUEEZED = 32, 240, 28, 28, 60


class Model(nn.Module):
    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.squeeze = nn.Linear(channels, squeezed)
        self.excite = nn.Linear(squeezed, channels)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        average = F.adaptive_avg_pool2d(maps, 1).flatten(1)
        weights = torch.sigmoid(self.excite(F.relu(self.squeeze(average))))
        return maps * weights[:, :, None, None]


def get_inputs() -> list[torch.Tensor]:
    # Channels differ in level: otherwise every average is almost 0.
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH) + torch.randn(BATCH, CHANNELS, 1, 1)]


def get_init_inputs() -> list:
    return [CHANNELS, SQUEEZED]
