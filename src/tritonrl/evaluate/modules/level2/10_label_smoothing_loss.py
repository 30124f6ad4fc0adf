"""Blend the loss of the right class with the mean loss over all classes, for each example."""

import torch
import torch.nn.functional as F
from torch import nn

EXAMPLES, CLASSES = 4096, 1203
SMOOTHING = 0.1


class Model(nn.Module):
    def __init__(self, smoothing: float) -> None:
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        right = F.cross_entropy(logits, labels, reduction="none")
        everywhere = -F.log_softmax(logits, dim=-1).mean(dim=-1)
        return torch.lerp(right, everywhere, self.smoothing)


def get_inputs() -> list[torch.Tensor]:
    return [3 * torch.randn(EXAMPLES, CLASSES), torch.randint(CLASSES, (EXAMPLES,))]


def get_init_inputs() -> list:
    return [SMOOTHING]
