"""A cache that has its room from the start: the usual one copies all that it holds for every token."""

from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer


def roomy_cache(config: Any, num_tokens: int) -> DynamicCache | None:
    """For at most this many tokens; None for a model whose layers keep something else than all keys and
    values."""
    cache = DynamicCache(config=config)
    if not cache.layers or any(type(layer) is not DynamicLayer for layer in cache.layers):
        return None
    cache.layers[:] = [RoomyLayer(num_tokens) for _ in cache.layers]
    return cache


class RoomyLayer(DynamicLayer):
    def __init__(self, num_tokens: int) -> None:
        super().__init__()
        self._num_tokens = num_tokens
        self._rooms: list[torch.Tensor] = []

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        both = (key_states, value_states)
        if not self.is_initialized:
            self.lazy_initialization(*both)
            self._rooms = [each.new_empty(*each.shape[:2], self._num_tokens, each.shape[3]) for each in both]
        before = self.get_seq_length()
        after = before + key_states.shape[2]
        for room, states in zip(self._rooms, both, strict=True):
            room[:, :, before:after] = states
        self.keys, self.values = (room[:, :, :after] for room in self._rooms)
        return self.keys, self.values
