"""Run tokens through three gated MLPs, each after a root-mean-square norm."""

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, HIDDEN, LAYERS = 1100, 640, 1300, 3
EPS = 1e-6


class Layer(nn.Module):
    def __init__(self, width: int, hidden: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + 0.2 * torch.randn(width))
        self.gate = nn.Linear(width, hidden, bias=False)
        self.value = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        self.eps = eps

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        mean_square = tokens.pow(2).mean(dim=-1, keepdim=True)
        normal = tokens * torch.rsqrt(mean_square + self.eps) * self.weight
        return tokens + self.down(F.silu(self.gate(normal)) * self.value(normal))


class Model(nn.Module):
    def __init__(self, width: int, hidden: int, layers: int, eps: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(Layer(width, hidden, eps) for _ in range(layers)))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.layers(tokens)


def get_inputs() -> list[torch.Tensor]:
    # Tokens differ in scale: standard normal ones are normalised already.
    return [torch.randn(TOKENS, WIDTH) * (0.5 + torch.rand(TOKENS, 1))]


def get_init_inputs() -> list:
    return [WIDTH, HIDDEN, LAYERS, EPS]
