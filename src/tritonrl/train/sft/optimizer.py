"""The optimizer of a supervised run: Muon for the matrices of layers, AdamW for everything else, as one.

Muon makes the singular values of an update alike, so that rare directions are learned as fast as common ones.
Its updates are scaled to the size of AdamW's, and one learning rate is for both.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

BETAS = (0.9, 0.95)


class MuonAndAdamW(torch.optim.Optimizer):
    """Two optimizers whose groups stand in one list, as a schedule of the learning rate wants them."""

    def __init__(self, model: nn.Module, lr: float, weight_decay: float) -> None:
        matrices, others, plain = _by_kind(model)
        adamw = torch.optim.AdamW(
            [{"params": others}, {"params": plain, "weight_decay": 0.0}],
            lr=lr, betas=BETAS, weight_decay=weight_decay, fused=True,
        )  # fmt: skip
        muon = torch.optim.Muon(
            matrices, lr=lr, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw"
        )
        self._parts: tuple[torch.optim.Optimizer, ...] = (muon, adamw)
        super().__init__(self._groups(), {})

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        loss = closure() if closure else None
        for part in self._parts:
            part.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {"parts": [part.state_dict() for part in self._parts]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for part, state in zip(self._parts, state_dict["parts"], strict=True):
            part.load_state_dict(state)
        self.param_groups = self._groups()  # a part that is loaded has new ones

    def _groups(self) -> list[dict[str, Any]]:
        return [group for part in self._parts for group in part.param_groups]


Parameters = list[nn.Parameter]


def _by_kind(model: nn.Module) -> tuple[Parameters, Parameters, Parameters]:
    """Matrices of layers; those of embeddings, where a row is a token's; and what has one dimension."""
    embeddings = {id(each.weight) for each in _embeddings(model)}
    matrices, others, plain = [], [], []
    for each in model.parameters():
        kind = plain if each.ndim != 2 else others if id(each) in embeddings else matrices
        kind.append(each)
    return matrices, others, plain


def _embeddings(model: Any) -> Iterable[Any]:
    return filter(None, (model.get_input_embeddings(), model.get_output_embeddings()))
