"""Double the resolution of a generator's feature maps, normalise and activate them."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, CHANNELS, HEIGHT, WIDTH, FILTERS = 6, 128, 36, 50, 64


class Model(nn.Module):
    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(channels, filters, 4, stride=2, padding=1, bias=False)
        self.norm = nn.InstanceNorm2d(filters, affine=True)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return F.leaky_relu(self.norm(self.up(maps)), 0.2)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [CHANNELS, FILTERS]
