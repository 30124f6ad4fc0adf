"""Train with batch statistics: project, normalise over the batch, activate, update the running statistics."""

import torch
import torch.nn.functional as F
from torch import nn

EXAMPLES, WIDTH, FEATURES = 5000, 600, 750


class Model(nn.Module):
    def __init__(self, width: int, features: int) -> None:
        super().__init__()
        self.project = nn.Linear(width, features)
        self.norm = nn.BatchNorm1d(features)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias, std=0.2)

    def forward(self, examples: torch.Tensor) -> torch.Tensor:
        return F.relu(self.norm(self.project(examples)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(EXAMPLES, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, FEATURES]
