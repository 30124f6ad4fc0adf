"""Match pictures with their captions in both directions."""

import torch
import torch.nn.functional as F
from torch import nn

PAIRS, WIDTH = 2200, 640
SCALE = 14.0


class Model(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, pictures: torch.Tensor, captions: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        logits = self.scale * F.linear(pictures, captions)
        there = F.cross_entropy(logits, pairs)
        back = F.cross_entropy(logits.transpose(0, 1), pairs)
        return (there + back) / 2


def get_inputs() -> list[torch.Tensor]:
    # How alike pairs are is drawn too: the loss of so many would always be the same number.
    pictures = F.normalize(torch.randn(PAIRS, WIDTH), dim=-1)
    captions = F.normalize(torch.rand(()) * pictures + F.normalize(torch.randn(PAIRS, WIDTH), dim=-1), dim=-1)
    return [pictures, captions, torch.arange(PAIRS)]


def get_init_inputs() -> list:
    return [SCALE]
