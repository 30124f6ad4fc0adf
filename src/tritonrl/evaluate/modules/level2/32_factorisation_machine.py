"""Sum the products of all pairs of an example's field embeddings."""

import torch
from torch import nn

EXAMPLES, FIELDS, WIDTH = 9000, 39, 32


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, fields: torch.Tensor) -> torch.Tensor:
        square_of_sum = fields.sum(dim=1).pow(2)
        sum_of_squares = fields.pow(2).sum(dim=1)
        return 0.5 * (square_of_sum - sum_of_squares).sum(dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [0.3 * torch.randn(EXAMPLES, FIELDS, WIDTH)]


def get_init_inputs() -> list:
    return []
