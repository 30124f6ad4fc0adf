"""`NanoPolicy`: a model of packed weights, which knows of itself what it has learned."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tritonrl.policy.local import CPU, Folder, LocalPolicy, Place, Sampling
from tritonrl.policy.local.prompt import Prompt
from tritonrl.policy.nano.card import Card
from tritonrl.policy.programs import NotAsked, Question
from tritonrl.tasks import Task, TaskError
from tritonrl.verify import Zygotes

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class NanoPolicy(LocalPolicy):
    """The local policy over packed weights: in int8 on a CPU, in bfloat16 on a GPU."""

    def __init__(
        self,
        path: Path,
        seed: int = 0,
        zygotes: Zygotes | None = None,
        sampling: Sampling | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(Folder.at(str(path)), seed, sampling, place, zygotes)
        self._path, self._card = path, Card.at(path)
        self.scope = self._card.scope

    def _loaded(self, place: Place) -> "tuple[PreTrainedTokenizerBase, Any]":
        from tritonrl.policy.local.load import load
        from tritonrl.policy.nano.int8 import use_int8
        from tritonrl.policy.nano.packing import read_packed, unpacked

        tensors = read_packed(self._path)
        tokenizer, model = load(self._folder, place, lambda: unpacked(tensors))
        if place == CPU:
            use_int8(model, tensors)
        return tokenizer, model

    def note(self, task: Task) -> str | None:
        try:
            question = self._question(task)
            asked = self._prompt(question)
        except (NotAsked, TaskError):
            return None  # which is said of every sample
        return self._card.note(question.program, len(asked.tokens))

    def _prompt(self, asked: Task | Question) -> Prompt:
        made, needed = super()._prompt(asked), self._card.shortest_answer_tokens
        if (room := self._card.context_tokens - len(made.tokens)) < needed:
            raise NotAsked(
                f"the prompt has {len(made.tokens)} tokens and leaves {room} for an answer; the shortest "
                f"that {self._card.name} has learned from has {needed}"
            )
        return made
