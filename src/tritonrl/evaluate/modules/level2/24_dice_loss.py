"""Compute how little each predicted mask overlaps with the true one."""

import torch
from torch import nn

BATCH, HEIGHT, WIDTH = 40, 300, 300


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        inside = torch.sigmoid(logits)
        overlap = (inside * masks).sum(dim=(1, 2))
        total = (inside + masks).sum(dim=(1, 2))
        return 1 - 2 * (overlap / total)


def get_inputs() -> list[torch.Tensor]:
    # Masks differ in size, predictions in how sure they are: otherwise all overlap alike.
    masks = (torch.rand(BATCH, HEIGHT, WIDTH) > torch.rand(BATCH, 1, 1)) * 1.0
    return [torch.randn(BATCH, HEIGHT, WIDTH) + 3 * torch.randn(BATCH, 1, 1) * masks, masks]


def get_init_inputs() -> list:
    return []
