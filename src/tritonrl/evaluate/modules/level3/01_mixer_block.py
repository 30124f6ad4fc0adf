"""Mix the patches of an image with each other, then the channels of each patch."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, PATCHES, WIDTH, MIXED, HIDDEN = 24, 196, 384, 192, 1152


class Model(nn.Module):
    def __init__(self, patches: int, width: int, mixed: int, hidden: int) -> None:
        super().__init__()
        self.patch_norm = nn.LayerNorm(width)
        self.patch_up, self.patch_down = nn.Linear(patches, mixed), nn.Linear(mixed, patches)
        self.channel_norm = nn.LayerNorm(width)
        self.channel_up, self.channel_down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        for norm in (self.patch_norm, self.channel_norm):
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, std=0.2)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        patches = self.patch_norm(image).transpose(1, 2)
        image = image + self.patch_down(F.gelu(self.patch_up(patches))).transpose(1, 2)
        return image + self.channel_down(F.gelu(self.channel_up(self.channel_norm(image))))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, PATCHES, WIDTH)]


def get_init_inputs() -> list:
    return [PATCHES, WIDTH, MIXED, HIDDEN]
