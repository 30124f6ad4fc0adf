"""Take one step of Adam without bias correction; weights and both moments are returned."""

import torch
from torch import nn

ROWS, COLUMNS = 1800, 1700
RATE, BETA1, BETA2, EPS = 0.01, 0.9, 0.95, 1e-6


class Model(nn.Module):
    def __init__(self, rate: float, beta1: float, beta2: float, eps: float) -> None:
        super().__init__()
        self.rate, self.beta1, self.beta2, self.eps = rate, beta1, beta2, eps

    def forward(
        self, weight: torch.Tensor, gradient: torch.Tensor, first: torch.Tensor, second: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first = torch.lerp(first, gradient, 1 - self.beta1)
        second = torch.lerp(second, gradient.square(), 1 - self.beta2)
        step = first / (second.sqrt() + self.eps)
        return weight - self.rate * step, first, second


def get_inputs() -> list[torch.Tensor]:
    return [
        0.05 * torch.randn(ROWS, COLUMNS),
        torch.randn(ROWS, COLUMNS),
        torch.randn(ROWS, COLUMNS),
        0.5 + torch.rand(ROWS, COLUMNS),
    ]


def get_init_inputs() -> list:
    return [RATE, BETA1, BETA2, EPS]
