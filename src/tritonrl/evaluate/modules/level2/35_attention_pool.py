"""Pool the sentences of each document by learned attention."""

import torch
import torch.nn.functional as F
from torch import nn

DOCUMENTS, SENTENCES, WIDTH, HIDDEN = 96, 150, 512, 128


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.look = nn.Linear(width, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)
        nn.init.normal_(self.score.weight)

    def forward(self, sentences: torch.Tensor) -> torch.Tensor:
        weights = F.softmax(self.score(torch.tanh(self.look(sentences))), dim=1)
        return (weights * sentences).sum(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(DOCUMENTS, SENTENCES, WIDTH)]


def get_init_inputs() -> list:
    return [WIDTH, HIDDEN]
