"""Compute how far a student's distribution is from its teacher's, summed over a batch."""

import torch
import torch.nn.functional as F
from torch import nn

EXAMPLES, CLASSES = 5000, 1001


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
        return F.kl_div(student, teacher, reduction="sum")


def get_inputs() -> list[torch.Tensor]:
    # The scale is drawn too: the sum of so many equal draws would always be the same number.
    student = (0.5 + torch.rand(())) * torch.randn(EXAMPLES, CLASSES)
    return [torch.log_softmax(student, dim=1), torch.softmax(torch.randn(EXAMPLES, CLASSES), dim=1)]


def get_init_inputs() -> list:
    return []
