"""A module file: what stands around a transformer's linear layers: bias, GELU, layer scale, residual."""

import torch
from torch import nn

NUM_ROWS = 8192 if torch.cuda.is_available() else 16


class ScaledResidual(nn.Module):
    def __init__(self, width: int = 2048) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return residual + self.scale * nn.functional.gelu(x + self.bias)


def get_inputs():
    return [torch.randn(NUM_ROWS, 2048), torch.randn(NUM_ROWS, 2048)]
