"""`LocalPolicy`: a language model from a folder writes kernels.

Sample 0 is greedy; others are drawn. The random numbers of a sample depend on the seed, the task and the
sample alone. On a CPU each answer is written by itself, so its text depends on nothing else either. On a GPU
several are written at a time, and how many changes how sums are rounded: an answer may then, rarely, take
another turn than it would alone.

A model that knows programs alone is asked with the task's program, and what it writes for that becomes an
answer to the task. What is heard is the model's own text.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tritonrl.policy.local.folder import Folder
from tritonrl.policy.local.prompt import Prompt, program_prompt, prompt
from tritonrl.policy.local.settings import Place, Sampling
from tritonrl.policy.policy import Hear, Proposal, unheard
from tritonrl.policy.programs import NotAsked, Question, Questions, refusals
from tritonrl.synth.generate import derive_seed
from tritonrl.tasks import Task, TaskError
from tritonrl.verify import Zygotes

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from tritonrl.policy.local.writer import Row, Writer


@dataclass(frozen=True)
class _Wanted:
    """An answer that is to be written."""

    task: Task
    sample: int
    question: Question | None
    row: "Row"


class LocalPolicy:
    writes_on_gpu = True

    def __init__(
        self,
        folder: Folder,
        seed: int = 0,
        sampling: Sampling | None = None,
        place: Place | None = None,
        zygotes: Zygotes | None = None,
    ) -> None:
        """On the GPU if there is one, unless a place is named. The model is loaded for the first answer."""
        self._folder, self._seed, self._place = folder, seed, place
        self._sampling = sampling or Sampling()
        self._questions = Questions(zygotes)
        asked = "operators in the table (docs/programs.md)" if folder.asks_program else "any module"
        self.scope = (
            f"{folder.path} ({folder.architecture}) writes what it likes, for {asked}; "
            "nothing is known of it beforehand"
        )

    def note(self, task: Task) -> str | None:
        return None

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        """What is cut off is an answer too. A task that the model cannot read, or has no room for, is an
        error of each."""
        yield from (proposal for _, proposal in self._answers([(task, samples)], hear))

    def propose_together(
        self, asked: Iterable[tuple[Task, Sequence[int]]]
    ) -> Iterator[tuple[Task, Proposal]]:
        """The same for samples of many tasks, of which as many are written at a time as there is room for."""
        asked = list(asked)
        if self._folder.asks_program:
            self._questions.foresee([task for task, _ in asked])
        yield from self._answers(asked, unheard)

    def _answers(
        self, asked: Iterable[tuple[Task, Sequence[int]]], hear: Hear
    ) -> Iterator[tuple[Task, Proposal]]:
        waiting: list[_Wanted] = []
        for task, samples in asked:
            try:
                waiting += self._wanted(task, samples)
            except (NotAsked, TaskError) as error:
                yield from ((task, each) for each in refusals(samples, error))
            while waiting and len(waiting) >= self._writer.batch:
                yield from self._write(waiting, hear)
        while waiting:
            yield from self._write(waiting, hear)

    def _wanted(self, task: Task, samples: Sequence[int]) -> "list[_Wanted]":
        from tritonrl.policy.local.writer import Row

        if not samples:
            return []
        question = self._question(task) if self._folder.asks_program else None
        prompt = self._prompt(question or task)
        return [_Wanted(task, each, question, Row(prompt, self._seed_of(task, each))) for each in samples]

    def _write(self, waiting: "list[_Wanted]", hear: Hear) -> Iterator[tuple[Task, Proposal]]:
        """Write the first of them, and take them off the list."""
        began = time.perf_counter()
        tell = None if hear is unheard else lambda row, piece: hear(first[row].sample, piece)
        first = list(waiting)
        written = self._writer.write([each.row for each in first], tell)
        del waiting[: len(written)]
        seconds = round((time.perf_counter() - began) / len(written), 4)
        for each, answer in zip(first[: len(written)], written, strict=True):
            if each.question:
                text, ops = each.question.answer(answer.text), each.question.ops
                yield each.task, Proposal(each.sample, text, ops=ops, seconds=seconds)
            else:
                yield each.task, Proposal(each.sample, answer.text, seconds=seconds)

    def _question(self, task: Task) -> Question:
        question = self._questions.of(task)
        if reason := question.hindrance:
            raise NotAsked(f"the model reads programs alone, and none says all of a task that {reason}")
        return question

    def _prompt(self, asked: Task | Question) -> Prompt:
        tokenizer, context = self._writer.tokenizer, self._writer.context
        if isinstance(asked, Task):
            made = prompt(tokenizer, asked)
        else:
            made = program_prompt(tokenizer, asked.program)
        if context is not None and len(made.tokens) >= context:
            raise NotAsked(f"the prompt has {len(made.tokens)} tokens, and the model's context is {context}")
        return made

    def _seed_of(self, task: Task, sample: int) -> int | None:
        return derive_seed("local", self._seed, task.id, sample) if sample else None

    @cached_property
    def _writer(self) -> "Writer":
        from tritonrl.policy.local.writer import Writer, usual_place

        place = self._place or usual_place()
        return Writer(*self._loaded(place), self._sampling, place)

    def _loaded(self, place: Place) -> "tuple[PreTrainedTokenizerBase, Any]":
        from tritonrl.policy.local.load import load

        return load(self._folder, place)
