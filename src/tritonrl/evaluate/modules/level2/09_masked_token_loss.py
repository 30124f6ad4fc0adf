"""Average the loss of a language model over the tokens that count."""

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, VOCABULARY = 640, 16001


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, logits: torch.Tensor, targets: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        losses = F.cross_entropy(logits, targets, reduction="none")
        return (losses * counts).sum() / counts.sum()


def get_inputs() -> list[torch.Tensor]:
    # The scale is drawn too: the mean of so many equal draws would always be the same number.
    logits = (0.5 + 4 * torch.rand(())) * torch.randn(TOKENS, VOCABULARY)
    counts = (torch.rand(TOKENS) > 0.15) * 1.0
    return [logits, torch.randint(VOCABULARY, (TOKENS,)), counts]


def get_init_inputs() -> list:
    return []
