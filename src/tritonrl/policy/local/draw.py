"""`Draw`: chooses the next token of each row of a batch, by random numbers of the row's own.

It stands among the logits processors of a greedy `generate`: what it leaves is the token that it chose. So a
row sees the same random numbers alone and in any batch, and a batch may hold greedy rows beside drawn ones.
"""

import random
from collections.abc import Sequence
from typing import Any

import torch
from transformers import LogitsProcessor, TemperatureLogitsWarper, TopPLogitsWarper

from tritonrl.policy.local.settings import Sampling


class Draw(LogitsProcessor):
    def __init__(self, seeds: Sequence[int | None], sampling: Sampling) -> None:
        """A seed for each row; a row without takes the likeliest token."""
        self._rngs = [None if seed is None else random.Random(seed) for seed in seeds]
        self._warps: list[LogitsProcessor] = [TemperatureLogitsWarper(sampling.temperature)]
        if sampling.top_p < 1.0:
            self._warps.append(TopPLogitsWarper(sampling.top_p))

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> Any:
        if not any(self._rngs):
            return scores
        likeliest = scores.argmax(-1)
        for warp in self._warps:
            scores = warp(input_ids, scores)
        # In float64 sums over a large vocabulary still grow with each token that can be drawn, and no other.
        sums = scores.double().softmax(-1).cumsum(-1)
        shares = sums.new_tensor([each.random() if each else -1.0 for each in self._rngs])
        drawn = torch.searchsorted(sums, shares[:, None] * sums[:, -1:], right=True).squeeze(1)
        chosen = torch.where(shares < 0, likeliest, drawn.clamp(max=sums.shape[1] - 1))
        return scores.fill_(-torch.inf).scatter_(1, chosen[:, None], 0.0)
