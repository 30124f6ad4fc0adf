"""Filter feature maps, normalise them with the statistics of training and activate."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS = 4, 48, 80, 104, 96


class Model(nn.Module):
    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(filters).eval()
        nn.init.normal_(self.norm.get_buffer("running_mean"), std=0.2)
        nn.init.uniform_(self.norm.get_buffer("running_var"), 0.2, 0.6)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return F.silu(self.norm(self.conv(maps)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, FILTERS]
