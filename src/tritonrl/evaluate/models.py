"""Who answers: the composer, or a file of completions that somebody saved."""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from tritonrl import jsonl
from tritonrl.errors import UnknownNameError, UserError
from tritonrl.evaluate.records import Written
from tritonrl.program import Program
from tritonrl.synth.generate import derive_seed
from tritonrl.tasks import Task, TaskError
from tritonrl.teach.composer import Composer, NotComposed
from tritonrl.teach.composer.module import ModuleComposer
from tritonrl.verify import Zygotes
from tritonrl.verify.capturing import capture_task

TEXTS = ("text", "completion", "code")
"""Names under which a saved row may have its answer."""


class Model(Protocol):
    def propose(self, task: Task, samples: Sequence[int]) -> Iterator[Written]:
        """An answer for each of these samples, or why there is none."""
        ...


def model(name: str) -> Callable[[int, Zygotes], Model]:
    """What makes the model of this name from a seed; a `UserError` where there is none, or no such file."""
    if name.startswith("file:"):
        saved = Saved(Path(name.removeprefix("file:")))
        return lambda seed, zygotes: saved
    if name not in MODELS:
        raise UnknownNameError("model", name, list(MODELS))
    return MODELS[name]


class ComposerModel:
    """Sample 0 is what the cost rule likes best; others are drawn."""

    def __init__(self, seed: int, zygotes: Zygotes) -> None:
        self._seed, self._zygotes = seed, zygotes

    def propose(self, task: Task, samples: Sequence[int]) -> Iterator[Written]:
        began = time.perf_counter()
        try:
            composer, ops = self._composer(task)
        except (NotComposed, TaskError) as error:
            blame = "task" if isinstance(error, TaskError) else "model"
            for sample in samples:
                yield Written(task=task.id, sample=sample, error=str(error), blame=blame)
            return
        for sample in samples:
            rng = random.Random(derive_seed("composer", self._seed, task.id, sample)) if sample else None
            text = composer.answer(rng)
            seconds, began = time.perf_counter() - began, time.perf_counter()
            yield Written(task=task.id, sample=sample, text=text, ops=ops, seconds=round(seconds, 4))

    def _composer(self, task: Task) -> tuple[Composer | ModuleComposer, tuple[str, ...]]:
        if task.kind == "functional" and task.program is not None:
            made = Program.from_json(task.program)
            return Composer(made), _ops(made)
        captured = capture_task(self._zygotes, task)
        if captured.random:
            raise TaskError(task.id, f"is random ({', '.join(captured.random)}), so no answer is right")
        if task.kind == "functional":
            return Composer(captured.program), _ops(captured.program)
        return ModuleComposer(task, captured), _ops(captured.program)


MODELS = {"composer": ComposerModel}


def _ops(program: Program) -> tuple[str, ...]:
    return tuple(node.op for node in program.nodes)


class Saved:
    """Completions from a JSONL: rows of `task`, an answer, and perhaps `sample`."""

    def __init__(self, path: Path) -> None:
        self._answers: defaultdict[str, dict[int, str]] = defaultdict(dict)
        for number, row in jsonl.read(path):
            name, text = row.get("task"), next((row[each] for each in TEXTS if each in row), None)
            answers = self._answers[name] if isinstance(name, str) else {}
            sample = row.get("sample", len(answers))
            if not isinstance(name, str) or not isinstance(text, str) or type(sample) is not int:
                names = "/".join(TEXTS)
                raise UserError(f"{path}:{number}: no completion; expected task, {names}, perhaps sample")
            answers[sample] = text

    def propose(self, task: Task, samples: Sequence[int]) -> Iterator[Written]:
        for sample in samples:
            text = self._answers[task.id].get(sample)
            if text is None:
                missing = "the file has no such completion"
                yield Written(task=task.id, sample=sample, error=missing, blame="model")
            else:
                yield Written(task=task.id, sample=sample, text=text)
