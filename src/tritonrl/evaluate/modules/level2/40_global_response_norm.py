"""Let the channels of an image compete by their norms over space."""

import torch
from torch import nn

BATCH, HEIGHT, WIDTH, CHANNELS = 16, 28, 28, 768
EPS = 1e-6


class Model(nn.Module):
    def __init__(self, channels: int, eps: float) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.randn(channels))
        self.bias = nn.Parameter(0.2 * torch.randn(channels))
        self.eps = eps

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        length = torch.linalg.vector_norm(image, dim=(1, 2), keepdim=True)
        share = length / (length.mean(dim=-1, keepdim=True) + self.eps)
        return self.gain * (image * share) + self.bias + image


def get_inputs() -> list[torch.Tensor]:
    # Channels differ in scale: otherwise all would have almost the same norm.
    return [torch.randn(BATCH, HEIGHT, WIDTH, CHANNELS) * torch.rand(BATCH, 1, 1, CHANNELS)]


def get_init_inputs() -> list:
    return [CHANNELS, EPS]
