"""Teach: ask a model for what a lesson lacks, judge its answers while others come, keep what is accepted.

    manifest = teach(Lesson.of(endpoint, tasks="examples"), endpoint, Path("pairs"))

First the tasks: labels and variants. Then the answers to all of them.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from tritonrl.llm import Endpoint
from tritonrl.llm.secrecy import read_key
from tritonrl.teach.model.folder import TASKS, Folder
from tritonrl.teach.model.inbox import Inbox
from tritonrl.teach.model.lesson import Lesson
from tritonrl.teach.model.manifest import ModelManifest, summary
from tritonrl.teach.model.pairs import pairs, write_shards
from tritonrl.teach.model.records import Key, Outcome, Question, Replied
from tritonrl.teach.model.tasks import tasks_of
from tritonrl.teach.model.trial import vary
from tritonrl.teach.verified import settings_for
from tritonrl.verify import Completion, Judged, Zygotes
from tritonrl.verify.pool import judging
from tritonrl.verify.zygotes import zygotes_of_own

MOST_BEGUN = 16 * (os.cpu_count() or 1)
"""Answers that are handed to the judges at a time: more than they can work on, and few to look through."""

Progress = Callable[[str, int, int], None]
"""Told how many of how many are done: `tasks`, `answers` or `verdicts`."""


def teach(
    lesson: Lesson,
    endpoint: Endpoint,
    out: Path,
    *,
    workers: int | None = None,
    zygotes: Zygotes | None = None,
    progress: Progress = lambda what, done, total: None,
) -> ModelManifest:
    """Complete a lesson. Whoever interrupts it finds pairs and manifest of what there is."""
    settings_for(lesson, lesson.device)
    read_key(endpoint)
    tasks = None if (out / TASKS).exists() else tasks_of(lesson)
    # Nothing is written before this: what can be wrong with the question was found.
    ModelManifest.fresh(lesson).take_up(out)
    folder = Folder(out, lesson, tasks)
    try:
        if folder.open((*folder.preparations, *folder.answers)) or _unvaried(folder) or _unjudged(folder):
            with zygotes_of_own(zygotes) as held:
                if folder.preparations:
                    _prepare(folder, endpoint, held, progress)
                _answer(folder, endpoint, workers, held, progress)
    finally:
        rows = list(pairs(folder))
        manifest = summary(folder, endpoint, rows, write_shards(folder, rows))
        manifest.write(out)
    return manifest


def _unvaried(folder: Folder) -> list[Question]:
    """Tasks whose generators have come and were not tried."""
    asked = [each for each in folder.preparations if each.purpose == "inputs"]
    return [each for each in asked if folder.reply(*each.key) and each.task.id not in folder.varied]


def _unjudged(folder: Folder) -> list[Question]:
    """Answers that have come and were not judged."""
    return [
        each
        for each in folder.answers
        if folder.reply(*each.key) and not folder.has_outcome(each.task.id, each.sample)
    ]


def _prepare(folder: Folder, endpoint: Endpoint, zygotes: Zygotes, progress: Progress) -> None:
    """Labels and variants."""
    asked, lesson = folder.preparations, folder.lesson
    tasks = {task.id: task for task in folder.tasks}
    with (
        folder.keeping_varied() as keep,
        ThreadPoolExecutor(len(os.sched_getaffinity(0)), "trial") as threads,
    ):

        def start(key: Key) -> Future[Any] | None:
            purpose, task, _ = key
            reply = folder.reply(*key)
            if purpose != "inputs" or reply is None:
                return None
            return threads.submit(vary, zygotes, tasks[task], reply.text, lesson.augment, lesson.device)

        try:
            begun = _unvaried(folder)
            with closing(_overlapped(folder, endpoint, asked, begun, start, "tasks", progress)) as varied:
                for each in varied:
                    keep(each)
        finally:
            threads.shutdown(cancel_futures=True)


def _answer(
    folder: Folder, endpoint: Endpoint, workers: int | None, zygotes: Zygotes, progress: Progress
) -> None:
    """Answers and verdicts."""
    lesson = folder.lesson
    settings = settings_for(lesson, lesson.device)
    asked, tasks = folder.answers, {task.id: task for task in folder.all_tasks}
    numbers: list[tuple[str, int]] = []
    # On a GPU judges are processes of their own.
    held = zygotes if settings.device == "cpu" else None
    with (
        folder.keeping_outcomes() as keep,
        judging(settings, workers=workers, zygotes=held) as judges,
    ):

        def start(key: Key) -> Future[Any] | None:
            _, task, sample = key
            reply = folder.reply(*key)
            if reply is None:
                return None
            numbers.append((task, sample))
            return judges.submit(len(numbers) - 1, tasks[task], Completion.parse(reply.text))

        done = sum(folder.has_outcome(each.task.id, each.sample) for each in asked)
        begun = _unjudged(folder)
        with closing(_overlapped(folder, endpoint, asked, begun, start, "answers", progress)) as outcomes:
            for judged in outcomes:
                task, sample = numbers[judged.number]
                keep(_outcome(task, sample, judged))
                progress("verdicts", done := done + 1, len(asked))


def _overlapped(
    folder: Folder,
    endpoint: Endpoint,
    asked: list[Question],
    replied: Iterable[Question],
    start: Callable[[Key], Future[Any] | None],
    what: str,
    progress: Progress,
) -> Generator[Any, None, None]:
    """What becomes of replies, those of earlier runs first, while others are asked for."""
    questions, inbox = folder.open(asked), Inbox()
    done, waiting = len(asked) - len(questions), deque(each.key for each in replied)

    def begin() -> None:
        while waiting and inbox.num_begun < MOST_BEGUN:
            if future := start(waiting.popleft()):
                inbox.begin(future)

    begin()
    with folder.keeping_replies() as keep, inbox.asking(endpoint, questions, keep):
        for event in inbox:
            if isinstance(event, Replied):
                progress(what, done := done + 1, len(asked))
                waiting.append(event.key)
            else:
                yield event
            begin()


def _outcome(task: str, sample: int, judged: Judged) -> Outcome:
    if judged.verdict is not None:
        return Outcome(task=task, sample=sample, verdict=judged.verdict)
    return Outcome(task=task, sample=sample, error=str(judged.error), blame=judged.blame)
