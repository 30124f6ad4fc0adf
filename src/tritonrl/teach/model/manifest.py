"""`ModelManifest`: what lies in a folder of pairs that a model wrote. All numbers come from its lines."""

from collections import Counter
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from tritonrl.form import END_OF_PLAN
from tritonrl.intervals import wilson
from tritonrl.llm import Endpoint, Usage
from tritonrl.llm.tally import Tally
from tritonrl.tasks import Task
from tritonrl.teach.manifest import Document, Quantiles, Shard, quantiles, versions
from tritonrl.teach.model.folder import Folder
from tritonrl.teach.model.lesson import Lesson
from tritonrl.teach.model.records import Outcome, Purpose, Replied
from tritonrl.teach.pairs import Taught


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rate(_Record):
    """How many of the answers that were judged were accepted."""

    judged: int = 0
    accepted: int = 0
    rate: float | None = None
    """None where nothing was judged."""
    interval: tuple[float, float] | None = None
    """Wilson's, which holds the rate with 95 % confidence."""

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> "Rate":
        judged = [each.accepted for each in outcomes if each.verdict]
        if not judged:
            return cls()
        accepted, total = sum(judged), len(judged)
        return cls(judged=total, accepted=accepted, rate=accepted / total, interval=wilson(accepted, total))


class Answers(_Record):
    """What became of the answers that were asked for."""

    asked: int = 0
    answered: int = 0
    failed: dict[str, int] = {}
    """Requests that came to nothing, by the kind of failure."""
    truncated: int = 0
    """Answers that were cut off; they are judged as they are."""
    no_verdict: dict[str, int] = {}
    """Answers that could not be judged, by whose fault it is: the task's or the verifier's own."""
    rejected: dict[str, int] = {}
    """By the layer that rejected them."""
    repeated: int = 0
    """Accepted, with code that the task has an answer with already."""


class Variants(_Record):
    """What became of the generators that were asked for."""

    tasks: int = 0
    """That have at least one variant."""
    written: int = 0
    accepted: int = 0
    failed: dict[str, int] = {}
    """Requests that came to nothing."""


class ModelManifest(Document):
    """The document `manifest.json` of a model's pairs."""

    settings: Lesson
    num_tasks: int = 0
    """Without variants."""
    answers: Answers = Answers()
    rate: Rate = Rate()
    operators: dict[str, Rate] = Field(default={})
    """Over the answers to tasks that have the operator, as far as operators are known."""
    labels: dict[str, int] | None = None
    """Tasks that the model called level 1, 2, or neither; None where it was not asked."""
    variants: Variants | None = None
    """None where none were asked for."""
    lengths: dict[str, Quantiles] = Field(default={})
    """Of pairs: source, plan, code and completion."""
    usage: dict[Purpose, Usage] = Field(default={})
    """Tokens and cost, by what they were spent on."""

    @classmethod
    def fresh(cls, lesson: Lesson) -> "ModelManifest":
        return cls(settings=lesson, versions=versions(lesson.format), complete=False)


def summary(
    folder: Folder, endpoint: Endpoint, rows: list[Taught], shards: tuple[Shard, ...]
) -> ModelManifest:
    """The manifest of a folder as it is now; its cost at the prices of the endpoint."""
    tasks, lesson = folder.all_tasks, folder.lesson
    known = {(task.id, sample) for task in tasks for sample in range(lesson.draws)}
    outcomes = [each for key, each in folder.outcomes.items() if key in known]
    rate = Rate.of(outcomes)
    return ModelManifest.fresh(lesson).model_copy(
        update={
            "complete": folder.is_complete,
            "shards": shards,
            "num_tasks": len(folder.tasks),
            "answers": _answers(folder, outcomes, rate.accepted - len(rows)),
            "rate": rate,
            "operators": _by_operator(tasks, outcomes),
            "labels": _labels(folder) if lesson.label else None,
            "variants": _variants(folder) if lesson.augment else None,
            "lengths": _lengths(rows),
            "usage": _usage(folder, endpoint),
        }
    )


def _answers(folder: Folder, outcomes: list[Outcome], num_repeated: int) -> Answers:
    replies = _of(folder, "answer")
    return Answers(
        asked=len(folder.answers),
        answered=sum(each.reply is not None for each in replies),
        failed=_failed(replies),
        truncated=sum(each.reply is not None and not each.reply.finished for each in replies),
        no_verdict=_counted(each.blame for each in outcomes if each.blame),
        rejected=_counted(
            each.verdict.rejection.layer for each in outcomes if each.verdict and each.verdict.rejection
        ),
        repeated=num_repeated,
    )


def _by_operator(tasks: list[Task], outcomes: list[Outcome]) -> dict[str, Rate]:
    having: dict[str, set[str]] = {}
    for task in tasks:
        for op in task.ops or ():
            having.setdefault(op, set()).add(task.id)
    return {op: Rate.of(each for each in outcomes if each.task in having[op]) for op in sorted(having)}


def _labels(folder: Folder) -> dict[str, int]:
    found = Counter(str(folder.label(task.id) or "none") for task in folder.tasks)
    return {name: found[name] for name in ("1", "2", "none")}


def _variants(folder: Folder) -> Variants:
    varied = list(folder.varied.values())
    accepted = [sum(each.task is not None for each in one.variants) for one in varied]
    return Variants(
        tasks=sum(map(bool, accepted)),
        written=sum(len(each.variants) for each in varied),
        accepted=sum(accepted),
        failed=_failed(_of(folder, "inputs")),
    )


def _lengths(rows: list[Taught]) -> dict[str, Quantiles]:
    if not rows:
        return {}
    completions = [row["completion"] for row in rows]
    plans = [text.index(END_OF_PLAN) + len(END_OF_PLAN) for text in completions]
    lengths = {
        "source": [len(row["source"]) for row in rows],
        "plan": plans,
        "code": [len(text) - plan for text, plan in zip(completions, plans, strict=True)],
        "completion": [len(text) for text in completions],
    }
    return {what: quantiles(Counter(each)) for what, each in lengths.items()}


def _usage(folder: Folder, endpoint: Endpoint) -> dict[Purpose, Usage]:
    tallies: dict[Purpose, Tally] = {}
    for each in folder.replies.values():
        tally = tallies.setdefault(each.purpose, Tally(endpoint))
        tally.add(requests=1)
        if each.reply:
            tally.add_reply(each.reply)
    return {purpose: tally.usage for purpose, tally in tallies.items()}


def _of(folder: Folder, purpose: Purpose) -> list[Replied]:
    return [each for each in folder.replies.values() if each.purpose == purpose]


def _failed(replies: list[Replied]) -> dict[str, int]:
    return _counted(each.failure for each in replies if each.failure)


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
