"""A module file: RMS norm and a SiLU gate, as language models have them, in eight kernels of PyTorch."""

import torch
from torch import nn

NUM_ROWS = 8192 if torch.cuda.is_available() else 8


class GatedNorm(nn.Module):
    def __init__(self, width: int = 4096, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return x * scale * self.weight * nn.functional.silu(gate)


def get_inputs():
    return [torch.randn(NUM_ROWS, 4096), torch.randn(NUM_ROWS, 4096)]
