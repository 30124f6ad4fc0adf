"""Take the moving average of many sensor channels."""

import torch
from torch import nn

BATCH, SENSORS, STEPS = 20, 63, 8000
WINDOW, STRIDE = 25, 5


class Model(nn.Module):
    def __init__(self, window: int, stride: int) -> None:
        super().__init__()
        self.pool = nn.AvgPool1d(window, stride=stride)

    def forward(self, readings: torch.Tensor) -> torch.Tensor:
        return self.pool(readings)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, SENSORS, STEPS)]


def get_init_inputs() -> list:
    return [WINDOW, STRIDE]
