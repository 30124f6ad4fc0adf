"""Project tokens twice at once and gate one half with the SiLU of the other."""

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, HIDDEN = 1500, 1024, 2730


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.project = nn.Linear(width, 2 * hidden, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        gate, value = self.project(tokens).chunk(2, dim=-1)
        return F.silu(gate) * value


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(TOKENS, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, HIDDEN]
