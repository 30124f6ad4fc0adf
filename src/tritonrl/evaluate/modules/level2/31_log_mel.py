"""Turn the real and imaginary parts of a spectrum into log energies of bands."""

import torch
from torch import nn

BATCH, FRAMES, BINS, BANDS = 8, 1000, 513, 80
FLOOR = 1e-5


class Model(nn.Module):
    def __init__(self, bins: int, bands: int, floor: float) -> None:
        super().__init__()
        self.bands = nn.Parameter(torch.rand(bins, bands) / bins)
        self.floor = floor

    def forward(self, real: torch.Tensor, imaginary: torch.Tensor) -> torch.Tensor:
        power = real.pow(2) + imaginary.pow(2)
        return torch.matmul(power, self.bands).clamp(min=self.floor).log()


def get_inputs() -> list[torch.Tensor]:
    # Frames differ in loudness: otherwise all bands would have almost the same energy.
    loudness = torch.rand(BATCH, FRAMES, 1)
    return [torch.randn(BATCH, FRAMES, BINS) * loudness, torch.randn(BATCH, FRAMES, BINS) * loudness]


def get_init_inputs() -> list:
    return [BINS, BANDS, FLOOR]
