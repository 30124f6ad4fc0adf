"""Pool the features of a point cloud by their maximum over the points."""

import torch
from torch import nn

CLOUDS, FEATURES, POINTS = 16, 256, 2500


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        return torch.max(points, dim=-1).values


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(CLOUDS, FEATURES, POINTS)]


def get_init_inputs() -> list:
    return []
