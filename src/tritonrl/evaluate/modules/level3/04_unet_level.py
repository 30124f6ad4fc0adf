"""Go one level down a U-Net and up again, with its skip connection."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, DEEP, GROUPS = 2, 24, 144, 192, 48, 8


class Stage(nn.Module):
    def __init__(self, channels: int, filters: int, groups: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=1)
        self.norm = nn.GroupNorm(groups, filters)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return F.silu(self.norm(self.conv(maps)))


class Model(nn.Module):
    def __init__(self, channels: int, deep: int, groups: int) -> None:
        super().__init__()
        self.before = nn.Sequential(Stage(channels, channels, groups), Stage(channels, channels, groups))
        self.below = nn.Sequential(Stage(channels, deep, groups), Stage(deep, deep, groups))
        self.up = nn.ConvTranspose2d(deep, channels, 2, stride=2)
        self.after = Stage(2 * channels, channels, groups)
        self.out = nn.Conv2d(channels, channels, 1)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        skipped = self.before(maps)
        raised = self.up(self.below(F.max_pool2d(skipped, 2)))
        return self.out(self.after(torch.cat((skipped, raised), dim=1)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, DEEP, GROUPS]
