"""Many tasks through task lint, and the test that the synthesiser asks of a task."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tritonrl.tasks import Task, TaskError
from tritonrl.verify.oracle.author import Author
from tritonrl.verify.oracle.lint import TaskLint, lint
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.settings import Settings
from tritonrl.verify.zygotes import Zygotes

LINT_SECONDS = 120.0


def lint_task(zygotes: Zygotes, task: Task, seed: int | None = None) -> TaskLint:
    """Write the exam of a task and test it; the same seed gives the same questions."""
    settings = Settings()
    with Worker(zygotes, task, settings.reference_seconds) as worker:
        author = Author(worker, settings.precision, seed=seed)
        return lint(worker, author, author.write(), LINT_SECONDS)[0]


def lint_tasks(tasks: Iterable[Task]) -> Iterator[TaskLint]:
    """Lint tasks over the cores of this machine; results, errors too, come in the order of the tasks."""

    def tested(task: Task) -> TaskLint:
        try:
            return lint_task(zygotes, task)
        except TaskError as error:
            return TaskLint(task=task.id, mutants=(), num_draws=0, strengthened_by=(), error=str(error))

    with Zygotes() as zygotes, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(tested, tasks)


@contextlib.contextmanager
def keeping_sound_tasks() -> Iterator[Callable[[dict[str, Any]], bool]]:
    """A test for rows of `synth`: whether the task tells right from wrong. The same row always gives the same
    answer."""
    with Zygotes() as zygotes:

        def is_sound(row: dict[str, Any]) -> bool:
            task = Task.functional(row["id"], row["source"])
            return not lint_task(zygotes, task, seed=int(row["id"][:12], 16)).weak

        yield is_sound
