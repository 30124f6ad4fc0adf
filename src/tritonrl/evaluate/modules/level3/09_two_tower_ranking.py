"""Embed users and items by a tower each and compute the loss of every user over all items of the batch."""

import torch
import torch.nn.functional as F
from torch import nn

PAIRS, USER, ITEM, HIDDEN, WIDTH = 2048, 700, 450, 512, 96
SCALE = 10.0


class Tower(nn.Module):
    def __init__(self, features: int, hidden: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, width),
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.layers(features), dim=-1)


class Model(nn.Module):
    def __init__(self, user: int, item: int, hidden: int, width: int, scale: float) -> None:
        super().__init__()
        self.user_tower, self.item_tower = Tower(user, hidden, width), Tower(item, hidden, width)
        self.scale = scale

    def forward(self, users: torch.Tensor, items: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        scores = self.scale * F.linear(self.user_tower(users), self.item_tower(items))
        return F.cross_entropy(scores, pairs, reduction="none")


def get_inputs() -> list[torch.Tensor]:
    return [3 * torch.randn(PAIRS, USER), 3 * torch.randn(PAIRS, ITEM), torch.arange(PAIRS)]


def get_init_inputs() -> list:
    return [USER, ITEM, HIDDEN, WIDTH, SCALE]
