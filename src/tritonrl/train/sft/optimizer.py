"""The optimizer of a supervised run: Muon for the matrices of layers, AdamW for everything else, as one.

Muon makes the singular values of an update alike, so that rare directions are learned as fast as common ones.
Its updates are scaled to the size of AdamW's, and one learning rate is for both.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

Parameters = list[nn.Parameter]

BETAS = (0.9, 0.95)
MOMENTUM = 0.95
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
"""Of the quintic that takes singular values between 0 and 1 near 1."""
NUM_ITERATIONS = 5
LEAST_NORM = 1e-7
LIKE_ADAMW = 0.2
"""Root mean square of an update of AdamW's, roughly, at a learning rate of one."""


class Muon(torch.optim.Optimizer):
    """As `torch.optim.Muon` with `adjust_lr_fn="match_rms_adamw"`, but for all matrices of a shape at once:
    those of a small model are so small that a GPU would wait for one launch after the other."""

    def __init__(self, matrices: Iterable[nn.Parameter], lr: float, weight_decay: float) -> None:
        by_shape: dict[torch.Size, list[nn.Parameter]] = defaultdict(list)
        for each in matrices:
            by_shape[each.shape].append(each)
        groups = [{"params": alike} for alike in by_shape.values()]
        super().__init__(groups, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        loss = closure() if closure else None
        for group in self.param_groups:
            gradients = [each.grad for each in group["params"] if each.grad is not None]
            if gradients:
                self._update(group["params"], torch.stack(gradients), group["lr"], group["weight_decay"])
        return loss

    def _update(self, matrices: Parameters, gradients: Tensor, lr: float, weight_decay: float) -> None:
        state = self.state[matrices[0]]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(gradients)
        momentum = state["momentum"].lerp_(gradients, 1 - MOMENTUM)
        updates = orthogonal(gradients.lerp(momentum, MOMENTUM)).to(gradients.dtype)
        size = LIKE_ADAMW * max(gradients.shape[1:]) ** 0.5
        for matrix, update in zip(matrices, updates, strict=True):
            matrix.mul_(1 - lr * weight_decay).add_(update, alpha=-lr * size)


def orthogonal(matrices: Tensor) -> Tensor:
    """The nearest matrices with orthogonal rows (or columns, if those are fewer), roughly, in bfloat16."""
    a, b, c = NEWTON_SCHULZ
    found = matrices.bfloat16()
    if is_tall := found.shape[1] > found.shape[2]:
        found = found.mT
    found = found / found.norm(dim=(1, 2), keepdim=True).clamp(min=LEAST_NORM)
    for _ in range(NUM_ITERATIONS):
        products = found @ found.mT
        found = torch.baddbmm(
            found, torch.baddbmm(products, products, products, beta=b, alpha=c), found, beta=a
        )
    return found.mT if is_tall else found


class MuonAndAdamW(torch.optim.Optimizer):
    """Two optimizers whose groups stand in one list, as a schedule of the learning rate wants them."""

    def __init__(self, model: nn.Module, lr: float, weight_decay: float) -> None:
        matrices, others, plain = _by_kind(model)
        adamw = torch.optim.AdamW(
            [{"params": others}, {"params": plain, "weight_decay": 0.0}],
            lr=lr, betas=BETAS, weight_decay=weight_decay, fused=True,
        )  # fmt: skip
        self._parts: tuple[torch.optim.Optimizer, ...] = (Muon(matrices, lr, weight_decay), adamw)
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
