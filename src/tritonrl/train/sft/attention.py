"""Attention within each example alone, where a batch is one row of examples end to end.

What a token sees in training is then what it will see when it is asked, and no time goes into pairs of tokens
of different examples: with examples of 830 tokens in rows of 2,560 those would be more than half.
"""

from itertools import pairwise
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.attention.varlen import varlen_attn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

NAME = "within_examples"
CAUSAL = (-1, 0)
"""How far a token looks behind itself, and ahead: all the way, and not at all."""


def attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: None,
    *,
    scaling: float,
    cu_seq_lens_q: Tensor,
    max_length_q: int,
    **_: Any,
) -> tuple[Tensor, None]:
    """As transformers calls it: heads before tokens on the way in, after them on the way out."""
    if query.shape[1] != key.shape[1]:
        shared = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(shared, dim=1), value.repeat_interleave(shared, dim=1)
    if query.is_cuda and value.dtype in (torch.bfloat16, torch.float16):
        q, k, v = (each[0].transpose(0, 1).to(value.dtype) for each in (query, key, value))
        borders, longest = cu_seq_lens_q, max_length_q
        made = varlen_attn(q, k, v, borders, borders, longest, longest, scale=scaling, window_size=CAUSAL)
        return cast(Tensor, made)[None], None
    parts = []
    for start, end in pairwise(cu_seq_lens_q.tolist()):
        if start < end:
            q, k, v = (each[:, :, start:end] for each in (query, key, value))
            parts.append(scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling))
    return torch.cat(parts, dim=2).transpose(1, 2), None


AttentionInterface.register(NAME, attend)
