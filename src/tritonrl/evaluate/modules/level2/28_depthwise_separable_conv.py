"""Filter each channel by itself, then mix the channels, both normalised as in training."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS = 8, 144, 60, 60, 96


class Model(nn.Module):
    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.each = nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False)
        self.each_norm = nn.BatchNorm2d(channels).eval()
        self.mix = nn.Conv2d(channels, filters, 1, bias=False)
        self.mix_norm = nn.BatchNorm2d(filters).eval()
        for norm in (self.each_norm, self.mix_norm):
            nn.init.normal_(norm.get_buffer("running_mean"), std=0.2)
            nn.init.uniform_(norm.get_buffer("running_var"), 0.2, 0.6)
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        maps = F.relu6(self.each_norm(self.each(maps)))
        return self.mix_norm(self.mix(maps))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, FILTERS]
