"""`Folder`: a lesson on disk. Whole lines only; whatever interrupts it, the next run goes on from there.

    manifest.json       what was asked for, and what came of it
    tasks.jsonl         the tasks, in order
    replies.jsonl       all that the model answered, as it came, with its tokens
    inputs.jsonl        what became of the input generators that it wrote
    verdicts.jsonl      what the verifier said of its answers, as it came
    pairs-00000.jsonl   what was accepted

The last line of a question counts: a request that failed is made again by the next run, and so is a verdict
that our own machinery failed to give.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tritonrl import jsonl
from tritonrl.folders import appending, as_row, read
from tritonrl.llm import Reply
from tritonrl.tasks import Task
from tritonrl.teach.model.labels import read_label
from tritonrl.teach.model.lesson import Lesson
from tritonrl.teach.model.records import Key, Outcome, Purpose, Question, Replied, Varied
from tritonrl.teach.shards import write_whole

TASKS, REPLIES, INPUTS, VERDICTS = "tasks.jsonl", "replies.jsonl", "inputs.jsonl", "verdicts.jsonl"


class Folder:
    """One lesson, as far as it has come."""

    def __init__(self, path: Path, lesson: Lesson, tasks: Iterable[Task] | None = None) -> None:
        """Begin it with these tasks, or go on with those that are there."""
        self.path, self.lesson = path, lesson
        if tasks is not None:
            lines = "".join(f"{jsonl.dumps(as_row(each))}\n" for each in tasks)
            write_whole(path / TASKS, lines.encode())
        for name in (REPLIES, INPUTS, VERDICTS):
            if (path / name).exists():
                jsonl.drop_torn_tail(path / name)
        self.tasks = list(read(path / TASKS, Task))
        self.replies: dict[Key, Replied] = {each.key: each for each in read(path / REPLIES, Replied)}
        self.varied = {each.task: each for each in read(path / INPUTS, Varied)}
        self.outcomes = {(each.task, each.sample): each for each in read(path / VERDICTS, Outcome)}

    @property
    def all_tasks(self) -> list[Task]:
        """Each task, and its variants after it."""
        return [each for task in self.tasks for each in (task, *self.variants(task))]

    def variants(self, task: Task) -> list[Task]:
        varied = self.varied.get(task.id)
        return [each.task for each in varied.variants if each.task] if varied else []

    @property
    def answers(self) -> list[Question]:
        """All that are asked for, those of a task beside each other: what it needs is then prepared once."""
        draws = range(self.lesson.draws)
        return [Question("answer", task, sample) for task in self.all_tasks for sample in draws]

    @property
    def preparations(self) -> list[Question]:
        """What is asked about the tasks themselves."""
        most = self.lesson.augment
        labels = [Question("label", task) for task in self.tasks] if self.lesson.label else []
        return labels + ([Question("inputs", task, count=most) for task in self.tasks] if most else [])

    def open(self, questions: Iterable[Question]) -> list[Question]:
        """Those that are still to be asked."""
        return [each for each in questions if not (found := self.replies.get(each.key)) or not found.is_final]

    def reply(self, purpose: Purpose, task: str, sample: int = 0) -> Reply | None:
        found = self.replies.get((purpose, task, sample))
        return found and found.reply

    def label(self, task: str) -> int | None:
        """What the model called a task."""
        return read_label(self.reply("label", task))

    def has_outcome(self, task: str, sample: int) -> bool:
        """One that a further attempt would not change."""
        found = self.outcomes.get((task, sample))
        return found is not None and found.is_final

    @property
    def is_complete(self) -> bool:
        """Whether everything has been asked, and every answer was given to the verifier."""
        asked = all(each.key in self.replies for each in (*self.preparations, *self.answers))
        return (
            asked
            and all(task in self.varied for purpose, task, _ in self._answered if purpose == "inputs")
            and all((task, n) in self.outcomes for purpose, task, n in self._answered if purpose == "answer")
        )

    @property
    def _answered(self) -> list[Key]:
        return [key for key, each in self.replies.items() if each.reply]

    @contextmanager
    def keeping_replies(self) -> Iterator[Callable[[Replied], None]]:
        """A function that keeps a reply, at once; so are those below."""
        with _keeping(self.path / REPLIES, self.replies, lambda each: each.key) as keep:
            yield keep

    @contextmanager
    def keeping_varied(self) -> Iterator[Callable[[Varied], None]]:
        with _keeping(self.path / INPUTS, self.varied, lambda each: each.task) as keep:
            yield keep

    @contextmanager
    def keeping_outcomes(self) -> Iterator[Callable[[Outcome], None]]:
        with _keeping(self.path / VERDICTS, self.outcomes, lambda each: (each.task, each.sample)) as keep:
            yield keep


@contextmanager
def _keeping(path: Path, kept: dict[Any, Any], key: Callable[[Any], Any]) -> Iterator[Callable[[Any], None]]:
    with appending(path) as append:

        def keep(record: Any) -> None:
            append(record)
            kept[key(record)] = record

        yield keep
