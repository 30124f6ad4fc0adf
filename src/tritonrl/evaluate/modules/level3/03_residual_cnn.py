"""Classify images with a small residual network."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, COLOURS, HEIGHT, WIDTH, CHANNELS, CLASSES = 8, 3, 224, 224, 32, 200


class Block(nn.Module):
    def __init__(self, channels: int, filters: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, filters, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(filters).eval()
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(filters).eval()
        self.skip = nn.Conv2d(channels, filters, 1, stride=stride, bias=False)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        update = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(maps)))))
        return F.relu(update + self.skip(maps))


class Model(nn.Module):
    def __init__(self, colours: int, channels: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(colours, channels, 7, stride=2, padding=3, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels).eval()
        self.blocks = nn.Sequential(Block(channels, channels, 1), Block(channels, 2 * channels, 2))
        self.head = nn.Linear(2 * channels, classes)
        for part in self.modules():
            if isinstance(part, nn.BatchNorm2d):
                nn.init.normal_(part.get_buffer("running_mean"), std=0.2)
                nn.init.uniform_(part.get_buffer("running_var"), 0.2, 0.6)
                nn.init.uniform_(part.weight, 0.5, 1.5)
                nn.init.normal_(part.bias, std=0.2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        maps = F.relu(self.stem_norm(self.stem(images)))
        maps = self.blocks(F.max_pool2d(maps, 3, stride=2, padding=1))
        return self.head(F.adaptive_avg_pool2d(maps, 1).flatten(1))


def get_inputs() -> list[torch.Tensor]:
    # Images differ in brightness and contrast: averages over noise would all be the same.
    look = torch.randn(BATCH, COLOURS, 1, 1)
    return [look + torch.rand(BATCH, 1, 1, 1) * torch.randn(BATCH, COLOURS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [COLOURS, CHANNELS, CLASSES]
