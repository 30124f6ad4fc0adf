"""Press images into a small code and restore them; the image and its error are returned."""

import torch
import torch.nn.functional as F
from torch import nn

BATCH, COLOURS, HEIGHT, WIDTH, CHANNELS, CODE = 24, 3, 160, 128, 24, 12


class Model(nn.Module):
    def __init__(self, colours: int, channels: int, code: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(colours, channels, 4, stride=2, padding=1),
            nn.ELU(),
            nn.Conv2d(channels, 2 * channels, 4, stride=2, padding=1),
            nn.ELU(),
            nn.Conv2d(2 * channels, code, 4, stride=2, padding=1),
            nn.Tanh(),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(code, 2 * channels, 4, stride=2, padding=1),
            nn.ELU(),
            nn.ConvTranspose2d(2 * channels, channels, 4, stride=2, padding=1),
            nn.ELU(),
            nn.ConvTranspose2d(channels, colours, 4, stride=2, padding=1),
            nn.Sigmoid(),
        )
        # Wider than PyTorch's default, under which so deep a stack gives the same image for all.
        for part in self.modules():
            if isinstance(part, nn.Conv2d | nn.ConvTranspose2d):
                nn.init.kaiming_normal_(part.weight)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        restored = self.decoder(self.encoder(images))
        errors = F.mse_loss(restored, images, reduction="none")
        return restored, errors.mean(dim=(1, 2, 3))


def get_inputs() -> list[torch.Tensor]:
    # Images differ in brightness: otherwise all would be restored equally well.
    brightness = 0.2 + 0.8 * torch.rand(BATCH, 1, 1, 1)
    return [brightness * torch.rand(BATCH, COLOURS, HEIGHT, WIDTH)]


def get_init_inputs() -> list:
    return [COLOURS, CHANNELS, CODE]
