"""`Writer`: a model in memory, that continues several prompts at once."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessorList, PreTrainedTokenizerBase

from tritonrl.errors import UserError
from tritonrl.policy.local.cache import roomy_cache
from tritonrl.policy.local.draw import Draw
from tritonrl.policy.local.prompt import Prompt
from tritonrl.policy.local.settings import CPU, GPU, Place, Sampling
from tritonrl.policy.local.text import Listener, Text

CACHE_STEP = 256
"""Prompts for a static cache are padded to multiples of this: for every other length it is compiled anew."""

SMALL = 100_000_000
"""Below this many weights one thread writes: on two cores that others use too, as judges do, a model of 27
million writes 62 tokens a second so, and 13 with two threads, which wait for each other in every layer."""

SHARE_FOR_CACHES = 0.5
"""Of a GPU's free memory, for the caches of all that is written at a time."""

Tell = Callable[[int, str], None] | None
"""Is told a row and the next piece of its text."""


@dataclass(frozen=True)
class Row:
    """An answer that is wanted."""

    prompt: Prompt
    seed: int | None
    """Of its random numbers; None for a greedy one."""


@dataclass(frozen=True)
class Written:
    """An answer."""

    text: str
    """With what of it the prompt ends with."""
    tokens: list[int]
    """Its own; the last is an end token, unless there was no room for it."""
    is_cut_off: bool = False
    """Whether there was none."""


def usual_place() -> Place:
    return GPU if torch.cuda.is_available() else CPU


class Writer:
    """The model is used as it stands, at the place where it is: who trains it sees each change at once."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, model: Any, sampling: Sampling, place: Place
    ) -> None:
        self.tokenizer, self._model = tokenizer, model
        self._sampling, self._place = sampling, place
        ends: Any = self._model.generation_config.eos_token_id
        ends = self.tokenizer.eos_token_id if ends is None else ends
        self._ends: frozenset[int] = frozenset([ends] if isinstance(ends, int) else ends or [])
        self._pad = next(iter(sorted(self._ends)), 0)
        # How its makers like to draw from it is not how it is drawn from here.
        self._model.generation_config = GenerationConfig()
        num_weights = sum(each.numel() for each in self._model.parameters())
        self._threads = 1 if num_weights < SMALL else torch.get_num_threads()
        text_config = self._model.config.get_text_config()
        self.context: int | None = getattr(text_config, "max_position_embeddings", None)
        """Most tokens of prompt and answer together; None where there is no bound."""
        self.batch = min(self._place.batch, self._rows_that_fit(text_config))
        """Most answers at a time."""

    def _rows_that_fit(self, config: Any) -> int:
        """For whose keys and values a GPU has memory, as far as can be told."""
        heads = getattr(config, "num_key_value_heads", None) or getattr(config, "num_attention_heads", None)
        layers, wide = getattr(config, "num_hidden_layers", None), getattr(config, "head_dim", None)
        if self._place.device == "cpu" or not (heads and layers and wide):
            return self._place.batch
        num_tokens = min(self.context or sys.maxsize, 2 * self._sampling.max_new_tokens)
        row_bytes = 2 * layers * heads * wide * num_tokens * getattr(torch, self._place.dtype).itemsize
        return max(1, int(SHARE_FOR_CACHES * torch.cuda.mem_get_info(self._place.device)[0]) // row_bytes)

    def write(self, rows: Sequence[Row], tell: Tell = None) -> list[Written]:
        """An answer for each of the first rows, as many as are written at a time."""
        while True:
            rows = rows[: self.batch]
            try:
                return self._generate(rows, tell)
            except torch.OutOfMemoryError:
                if len(rows) == 1:
                    name = self._model.config.name_or_path
                    raise UserError(f"{name}: too little memory for an answer") from None
            self.batch = len(rows) // 2

    def _generate(self, rows: Sequence[Row], tell: Tell) -> list[Written]:
        longest = max(len(row.prompt.tokens) for row in rows)
        num_new = min(self._sampling.max_new_tokens, (self.context or sys.maxsize) - longest)
        static = self._place.static and getattr(self._model, "_can_compile_fullgraph", False)
        length = longest + (-longest % CACHE_STEP if static else 0)
        pads = [length - len(row.prompt.tokens) for row in rows]
        asked = [[self._pad] * pad + row.prompt.tokens for pad, row in zip(pads, rows, strict=True)]
        tokens = torch.tensor(asked, device=self._place.device)
        mask = torch.ones_like(tokens)
        for number, pad in enumerate(pads):
            mask[number, :pad] = 0
        config = GenerationConfig(
            max_new_tokens=num_new,
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=self._pad,
            cache_implementation="static" if static else None,
        )
        cache = None if static else roomy_cache(self._model.config, length + num_new)
        texts = [Text(self.tokenizer, self._ends, row.prompt.opening) for row in rows]
        # Compiled code does without inference mode.
        with torch.inference_mode(self._place.device == "cpu"), _threads(self._threads):
            written = self._model.generate(
                tokens,
                attention_mask=mask,
                generation_config=config,
                logits_processor=LogitsProcessorList([Draw([row.seed for row in rows], self._sampling)]),
                streamer=Listener(texts, tell) if tell else None,
                past_key_values=cache,
            )
        answers = [self._up_to_end(row) for row in written[:, tokens.shape[1] :].tolist()]
        if not tell:
            for text, answer in zip(texts, answers, strict=True):
                text.add(answer, last=True)
        return [
            Written(text.said, answer, answer[-1] not in self._ends)
            for text, answer in zip(texts, answers, strict=True)
        ]

    def _up_to_end(self, tokens: list[int]) -> list[int]:
        end = next((place for place, token in enumerate(tokens) if token in self._ends), len(tokens))
        return tokens[: end + 1]


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    """With this many threads of torch."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
