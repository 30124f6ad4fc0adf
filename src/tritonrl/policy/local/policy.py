"""`LocalPolicy`: a language model from a folder writes kernels.

Sample 0 is greedy; others are drawn. The random numbers of a sample depend on the seed, the task and the
sample alone. On a CPU each answer is written by itself, so its text depends on nothing else either. On a GPU
several are written at a time, and how many changes how sums are rounded: an answer may then, rarely, take
another turn than it would alone.
"""

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tritonrl.policy.local.folder import Folder
from tritonrl.policy.local.prompt import prompt
from tritonrl.policy.local.settings import Place, Sampling
from tritonrl.policy.policy import Hear, Proposal, unheard
from tritonrl.synth.generate import derive_seed
from tritonrl.tasks import Task

if TYPE_CHECKING:
    from tritonrl.policy.local.writer import Writer


class LocalPolicy:
    def __init__(
        self, folder: Folder, seed: int = 0, sampling: Sampling | None = None, place: Place | None = None
    ) -> None:
        """On the GPU if there is one, unless a place is named. The model is loaded for the first answer."""
        self._folder, self._seed, self._place = folder, seed, place
        self._sampling = sampling or Sampling()
        self.scope = (
            f"{folder.path} ({folder.architecture}) writes what it likes, for any module; "
            "nothing is known of it beforehand"
        )

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        """What is cut off is an answer too. A prompt that the model has no room for is an error of each."""
        if not samples:
            return
        asked, context = prompt(self._writer.tokenizer, task), self._writer.context
        if context is not None and len(asked.tokens) >= context:
            reason = f"the prompt has {len(asked.tokens)} tokens, and the model's context is {context}"
            yield from (Proposal(sample, error=reason) for sample in samples)
            return
        left, began = list(samples), time.perf_counter()
        while left:
            tell = None if hear is unheard else lambda row, piece, left=left: hear(left[row], piece)
            seeds = [self._seed_of(task, sample) for sample in left]
            texts = self._writer.write(asked, seeds, tell)
            seconds = round((time.perf_counter() - began) / len(texts), 4)
            for sample, text in zip(left[: len(texts)], texts, strict=True):
                yield Proposal(sample, text, seconds=seconds)
            left, began = left[len(texts) :], time.perf_counter()

    def _seed_of(self, task: Task, sample: int) -> int | None:
        return derive_seed("local", self._seed, task.id, sample) if sample else None

    @cached_property
    def _writer(self) -> "Writer":
        from tritonrl.policy.local.writer import Writer

        return Writer(self._folder, self._sampling, self._place)
