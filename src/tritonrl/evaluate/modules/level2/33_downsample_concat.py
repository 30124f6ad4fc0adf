"""Halve images twice over, by a convolution and by pooling, join, normalise and activate."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, COLOURS, HEIGHT, WIDTH, FILTERS = 6, 3, 360, 480, 29


class Model(nn.Module):
    def __init__(self, colours: int, filters: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(colours, filters, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(colours + filters).eval()
        nn.init.normal_(self.norm.get_buffer("running_mean"), std=0.2)
        nn.init.uniform_(self.norm.get_buffer("running_var"), 0.2, 0.6)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        halves = (self.conv(images), F.max_pool2d(images, 2))
        return F.relu(self.norm(torch.cat(halves, dim=1)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(BATCH, COLOURS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [COLOURS, FILTERS]
