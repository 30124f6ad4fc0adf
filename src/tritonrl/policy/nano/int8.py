"""Use matrices as they are packed: who writes one token after the other on a CPU reads all weights for each,
and int8 is a quarter of what float32 is."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tritonrl.policy.nano.packing import SCALE, Tensors

FEW = 16
"""Rows up to which the weights, not the arithmetic, decide the time."""


class Int8Linear(nn.Module):
    """A linear layer without a bias. It reads and gives float32, and multiplies in bfloat16, as the model was
    trained: an int8 is exact in that."""

    def __init__(self, weight: torch.Tensor, scale: torch.Tensor) -> None:
        super().__init__()
        self.weight, self.scale = nn.Buffer(weight), nn.Buffer(scale)
        self._ones = nn.Buffer(torch.ones_like(scale, dtype=torch.bfloat16))

    def forward(self, read: torch.Tensor) -> torch.Tensor:
        rows = read.flatten(0, -2).bfloat16()
        if len(rows) <= FEW:
            made = torch.ops.aten._weight_int8pack_mm(rows, self.weight, self._ones)
        else:
            made = F.linear(rows, self.weight.bfloat16())
        return (made.float() * self.scale).unflatten(0, read.shape[:-1])


def use_int8(model: Any, tensors: Tensors) -> None:
    """Put layers of packed matrices in the place of a model's own."""
    embedding = model.get_input_embeddings()
    names = {id(each): name for name, each in model.named_modules()}
    for name, layer in list(model.named_modules()):
        if isinstance(layer, nn.Linear) and layer.bias is None:
            is_tied = layer.weight is embedding.weight
            owner = names[id(embedding)] if is_tied else name
            weight = tensors[f"{owner}.weight"]
            model.set_submodule(name, Int8Linear(weight, tensors[f"{owner}.weight{SCALE}"]))
