"""Turn the raw step sizes of a state-space layer into positive ones."""

import torch
from torch import nn

BATCH, STEPS, CHANNELS = 4, 2048, 1536
BETA = 2.0


class Model(nn.Module):
    def __init__(self, beta: float) -> None:
        super().__init__()
        self.positive = nn.Softplus(beta=beta)

    def forward(self, raw: torch.Tensor) -> torch.Tensor:
        return self.positive(raw)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, STEPS, CHANNELS)]


def get_init_inputs() -> list:
    return [BETA]
