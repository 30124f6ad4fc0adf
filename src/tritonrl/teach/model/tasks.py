"""The tasks of a lesson: named by the user, or programs that are drawn."""

import itertools
from collections.abc import Iterator

from tritonrl.errors import UserError
from tritonrl.program import Program
from tritonrl.synth import rows
from tritonrl.tasks import Task, load_tasks
from tritonrl.teach.model.lesson import Lesson


def tasks_of(lesson: Lesson) -> list[Task]:
    """In a stable order, each with its operators where they are known; two of a name are an error."""
    tasks, seen = list(_tasks(lesson)), set[str]()
    for task in tasks:
        if task.id in seen:
            raise UserError(f"two tasks are called {task.id!r}")
        seen.add(task.id)
    return tasks


def _tasks(lesson: Lesson) -> Iterator[Task]:
    if lesson.tasks is not None:
        yield from map(_with_operators, itertools.islice(load_tasks(lesson.tasks), lesson.count))
    for config in lesson.configs:
        for row in rows(config, lesson.count or 0, workers=1):
            yield Task.functional(row["id"], row["source"], config.level, row["program"], tuple(row["ops"]))


def _with_operators(task: Task) -> Task:
    """Those of the program that a task brings along count."""
    if task.program is None:
        return task
    return task.model_copy(update={"ops": Program.from_json(task.program).ops})
