"""Batches: number b is always the same row of examples, so that a run can go on at any of them.

They are made in the workers of the data loader. What the trainer sees is a data set of their numbers.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase

from tritonrl.errors import UserError
from tritonrl.train.sft.lessons import Lessons
from tritonrl.train.sft.tokens import IGNORED, Example, examples

FULL = 0.99
"""Share of a batch's tokens at which it is full."""
MOST_MISSES = 6
"""Examples in a row that find no room, after which it is full as well."""
LEAST_A_PART = 256
"""Tokens of an example, on average, if a batch is not to be full of examples before it is of tokens."""
LESSONS_A_BATCH = 1 << 20
"""Numbers of lessons that belong to a batch."""
MOST_LESSONS, MOST_IN_VAIN = 10_000, 100
"""That are looked at for a batch, and while none of their examples is short enough."""


class Batches:
    """Made of lessons, `size` tokens each. No example has more than `context`."""

    def __init__(
        self, lessons: Lessons, tokenizer: PreTrainedTokenizerBase, size: int, context: int, first: int = 0
    ) -> None:
        self._lessons, self._tokenizer = lessons, tokenizer
        self._size, self._context, self._first = size, context, first
        self._most_parts = max(1, size // LEAST_A_PART)

    def __call__(self, numbers: Mapping[str, Sequence[int]]) -> dict[str, list[Any]]:
        """Batches by their numbers; a worker is asked for one at a time."""
        made = [self.batch(number) for number in numbers["batch"]]
        return {name: [each[name] for each in made] for name in made[0]}

    def batch(self, number: int) -> dict[str, torch.Tensor]:
        """Tokens, labels, each token's place in its example, and the borders between examples."""
        parts = self._examples(number)
        if not parts:
            raise UserError(f"no example fits into {self._context} tokens: model.context is too short")
        lengths = [len(each.tokens) for each in parts]
        rest = self._size - sum(lengths)
        # What is left over is examples of nothing.
        lengths += [min(self._context, rest - start) for start in range(0, rest, self._context)]
        borders = [0, *accumulate(lengths)]
        borders += [self._size] * (self._num_borders - len(borders))
        end: Any = self._tokenizer.eos_token_id
        row = {
            "input_ids": [token for each in parts for token in each.tokens] + [end] * rest,
            "labels": [label for each in parts for label in each.labels] + [IGNORED] * rest,
            "position_ids": [place for length in lengths for place in range(length)],
        }
        return {
            **{name: torch.tensor(each) for name, each in row.items()},
            "cu_seq_lens": torch.tensor(borders, dtype=torch.int32),
        }

    @property
    def _num_borders(self) -> int:
        """The same for all batches: a compiled model wants one shape."""
        return 1 + self._most_parts + -(-self._size // self._context)

    def _examples(self, number: int) -> list[Example]:
        parts: list[Example] = []
        misses, room = 0, self._size
        first = (self._first + number) * LESSONS_A_BATCH
        for lesson in range(first, first + MOST_LESSONS):
            taught = self._lessons.lesson(lesson)
            for example in examples(self._tokenizer, taught) if taught else ():
                length = len(example.tokens)
                if length > self._context:
                    continue
                if length > room:
                    misses += 1
                    continue
                parts.append(example)
                misses, room = 0, room - length
                if len(parts) == self._most_parts:
                    return parts
            is_full = misses >= MOST_MISSES or room <= (1 - FULL) * self._size
            if is_full or (not parts and lesson - first >= MOST_IN_VAIN):
                break
        return parts


def collate(rows: Sequence[Mapping[str, torch.Tensor]], longest: int) -> dict[str, Any]:
    """A batch, as models take examples that lie end to end; `longest` is the most tokens of one."""
    (row,) = rows
    borders = row["cu_seq_lens"]
    return {
        **{name: row[name][None] for name in ("input_ids", "labels", "position_ids")},
        "cu_seq_lens_q": borders, "cu_seq_lens_k": borders, "max_length_q": longest, "max_length_k": longest,
    }  # fmt: skip
