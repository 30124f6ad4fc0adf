"""Score examples by the cosine of their angle to every class."""

import torch
import torch.nn.functional as F
from torch import nn

EXAMPLES, WIDTH, CLASSES = 3000, 512, 2000
SCALE = 16.0


class Model(nn.Module):
    def __init__(self, width: int, classes: int, scale: float) -> None:
        super().__init__()
        self.classes = nn.Parameter(torch.randn(classes, width))
        self.scale = scale

    def forward(self, examples: torch.Tensor) -> torch.Tensor:
        cosines = F.linear(F.normalize(examples, dim=-1), F.normalize(self.classes, dim=-1))
        return self.scale * cosines


def get_inputs() -> list[torch.Tensor]:
    # Examples differ in length: otherwise all would have almost the same norm.
    return [torch.randn(EXAMPLES, WIDTH) * (0.5 + torch.rand(EXAMPLES, 1))]


def get_init_inputs() -> list:
    return [WIDTH, CLASSES, SCALE]
