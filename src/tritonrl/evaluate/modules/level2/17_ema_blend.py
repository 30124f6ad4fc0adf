"""Move the teacher's weights a little towards the student's."""

import torch
from torch import nn

ROWS, COLUMNS = 3000, 2500
MOMENTUM = 0.9


class Model(nn.Module):
    def __init__(self, momentum: float) -> None:
        super().__init__()
        self.momentum = momentum

    def forward(self, teacher: torch.Tensor, student: torch.Tensor) -> torch.Tensor:
        return self.momentum * teacher + (1 - self.momentum) * student


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS), torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list:
    return [MOMENTUM]
