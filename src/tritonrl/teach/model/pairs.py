"""Pairs: the answers that the verifier accepted, each in the form in which a model is to give it."""

from collections.abc import Iterator

from tritonrl import form
from tritonrl.tasks import Task
from tritonrl.teach.manifest import Shard
from tritonrl.teach.model.folder import Folder
from tritonrl.teach.pairs import Taught
from tritonrl.teach.shards import digest, encode, write_whole
from tritonrl.verify import Completion
from tritonrl.verify.cache import normalised


def pairs(folder: Folder) -> Iterator[Taught]:
    """In the order of tasks and samples; of answers to a task with the same code the first."""
    for task in folder.tasks:
        label = folder.label(task.id)
        yield from _pairs(folder, task, label, None)
        for variant in folder.variants(task):
            yield from _pairs(folder, variant, label, task.id)


def _pairs(folder: Folder, task: Task, label: int | None, origin: str | None) -> Iterator[Taught]:
    lesson, seen = folder.lesson, set[str | None]()
    for sample in range(lesson.draws):
        outcome, reply = folder.outcomes.get((task.id, sample)), folder.reply("answer", task.id, sample)
        if outcome is None or reply is None or not outcome.accepted:
            continue
        answer = Completion.parse(reply.text)
        code = normalised(answer.code)
        if code not in seen:
            seen.add(code)
            yield Taught(
                task=task.id, kind=task.kind, entry=task.entry, source=task.source,
                completion=form.answer(answer.plan or "", answer.code or ""),
                level=task.level, dtype=lesson.dtype, ops=None if task.ops is None else list(task.ops),
                difficulty=label, origin=origin, teacher=lesson.teacher, sample=sample,
            )  # fmt: skip


def write_shards(folder: Folder, rows: list[Taught]) -> tuple[Shard, ...]:
    """Put all pairs into their shards."""
    lesson, shards = folder.lesson, []
    for number, first in enumerate(range(0, len(rows), lesson.shard_size)):
        name, chunk = f"pairs-{number:05}.{lesson.format}", rows[first : first + lesson.shard_size]
        data = encode(chunk, lesson.format)
        write_whole(folder.path / name, data)
        size = len(chunk)
        shards.append(Shard(name=name, rows=size, pairs=size, bytes=len(data), sha256=digest(data)))
    return tuple(shards)
