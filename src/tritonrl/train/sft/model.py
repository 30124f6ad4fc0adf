"""The model that is trained: a Llama of the recipe's sizes from nothing, or one from a folder."""

from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerBase

from tritonrl.errors import UserError
from tritonrl.policy.local.dialect import CONFIG, MARKS
from tritonrl.train.base import load_base
from tritonrl.train.recipe import Model


def new_model(sizes: Model, tokenizer: PreTrainedTokenizerBase, seed: int) -> LlamaForCausalLM:
    """Weights that know nothing."""
    if sizes.hidden_size % (2 * sizes.num_attention_heads):
        heads = f"{sizes.num_attention_heads} heads of an even size"
        raise UserError(f"model.hidden_size: {sizes.hidden_size} does not divide into {heads}")
    torch.manual_seed(seed)
    end: Any = tokenizer.eos_token_id
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=sizes.hidden_size,
        intermediate_size=sizes.intermediate_size,
        num_hidden_layers=sizes.num_hidden_layers,
        num_attention_heads=sizes.num_attention_heads,
        max_position_embeddings=sizes.context,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=end,
        pad_token_id=end,
    )
    config.tritonrl = CONFIG  # pyright: ignore[reportAttributeAccessIssue]
    return LlamaForCausalLM(config)


def known_model(base: str) -> tuple[PreTrainedTokenizerBase, Any]:
    """A model that has learned before, and its tokenizer."""
    folder, tokenizer, model = load_base(base, "float32")
    if missing := [mark for mark in MARKS if mark not in tokenizer.get_vocab()]:
        raise UserError(f"{folder.path}: its tokenizer lacks {', '.join(missing)}: it does not read programs")
    return tokenizer, model
