"""Compare softened distributions of a student and its teacher."""

import torch
import torch.nn.functional as F
from torch import nn

EXAMPLES, CLASSES = 900, 10450
TEMPERATURE = 2.0


class Model(nn.Module):
    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(self, student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
        predicted = F.log_softmax(student / self.temperature, dim=-1)
        wanted = F.softmax(teacher / self.temperature, dim=-1)
        return F.kl_div(predicted, wanted, reduction="batchmean") * self.temperature**2


def get_inputs() -> list[torch.Tensor]:
    # The scale is drawn too: the mean of so many equal draws would always be the same number.
    teacher = (0.5 + 2 * torch.rand(())) * torch.randn(EXAMPLES, CLASSES)
    return [torch.randn(EXAMPLES, CLASSES), teacher]


def get_init_inputs() -> list:
    return [TEMPERATURE]
