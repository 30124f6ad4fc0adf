"""Batches: number b always has the same rows, so that a run can go on at any of them.

They are made in the workers of the data loader. What the trainer sees is a data set of row numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase

from tritonrl.errors import UserError
from tritonrl.train.sft.lessons import Lessons
from tritonrl.train.sft.packing import Rows
from tritonrl.train.sft.tokens import examples

FULL = 0.97
"""Share of a batch's tokens at which it is full."""
MOST_MISSES = 6
"""Lessons in a row without room for any of their examples, after which it is full as well."""
LESSONS_A_BATCH = 1 << 20
"""Numbers of lessons that belong to a batch."""
MOST_LESSONS = 10_000


class Batches:
    """Made of lessons, `size` rows of `length` tokens each."""

    def __init__(
        self, lessons: Lessons, tokenizer: PreTrainedTokenizerBase, size: int, length: int, first: int = 0
    ) -> None:
        self._lessons, self._tokenizer, self._size, self._length = lessons, tokenizer, size, length
        self._first = first
        self._last: tuple[int, list[dict[str, list[int]]]] = (-1, [])

    def __call__(self, numbers: Mapping[str, Sequence[int]]) -> dict[str, list[list[int]]]:
        """Rows by their numbers; a worker is asked for a whole batch of them."""
        chosen = [self.batch(number // self._size)[number % self._size] for number in numbers["row"]]
        return {name: [row[name] for row in chosen] for name in ("input_ids", "labels")}

    def batch(self, number: int) -> list[dict[str, list[int]]]:
        if self._last[0] != number:
            self._last = (number, self._made(number))
        return self._last[1]

    def _made(self, number: int) -> list[dict[str, list[int]]]:
        rows, misses = Rows(self._size, self._length), 0
        first = (self._first + number) * LESSONS_A_BATCH
        for lesson in range(first, first + MOST_LESSONS):
            taught = self._lessons.lesson(lesson)
            if taught is None:
                continue
            placed = [rows.place(example, lesson) for example in examples(self._tokenizer, taught)]
            misses = 0 if any(placed) else misses + 1
            if rows.filled >= FULL or misses == MOST_MISSES:
                break
        if not rows.filled:
            raise UserError(f"no example fits into {self._length} tokens: model.context is too short")
        end: Any = self._tokenizer.eos_token_id
        return rows.finished(end)


def collate(rows: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
    """One tensor of each kind. All tokens may be looked at: what follows an example is no part of it."""
    batch = {name: torch.tensor([row[name] for row in rows]) for name in ("input_ids", "labels")}
    return {**batch, "attention_mask": torch.ones_like(batch["input_ids"])}
