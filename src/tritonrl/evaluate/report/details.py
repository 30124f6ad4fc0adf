"""What the page's script reads: a short summary of all tasks at once, and everything about a task on demand.

Details lie in chunks of tasks, each JSON that is compressed and in base64; a text that occurs several times
in a chunk is in it once. `assets/task.js` reads them.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tritonrl.evaluate.records import Outcome, Written
from tritonrl.evaluate.report.breakdown import best_speedup, layers
from tritonrl.evaluate.report.runs import Run
from tritonrl.evaluate.report.text import plain, plain_document
from tritonrl.evaluate.table import NO_ANSWER, Scored
from tritonrl.verify.completion import Completion

TASKS_A_CHUNK = 50
_NOT_SHOWN = {"schema_version", "task", "versions", "accepted"}


def task_ids(runs: Sequence[Run]) -> list[str]:
    """All tasks of all runs, as they were first listed."""
    return list(dict.fromkeys(each.id for run in runs for each in run.folder.listed))


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Rows of the list of tasks. Operators and layers are numbers into their lists; what a run has of a task
    is `[right, of, best speedup, layer that most failed at]`, or null."""
    order = layers(runs)
    scored = [{task.id: task for task in run.tasks} for run in runs]
    listed = {each.id: each.task for run in reversed(runs) for each in run.folder.listed}
    operators: dict[str, int] = {}
    rows = []
    for name in task_ids(runs):
        found = [tasks.get(name) for tasks in scored]
        task = listed[name]
        level = next((each.level for each in found if each), task and task.level)
        ops = next((each.ops for each in found if each), (task and task.ops) or ())
        numbers = [operators.setdefault(each, len(operators)) for each in dict.fromkeys(ops)]
        outcomes = [each and _outcome(run, each, order) for run, each in zip(runs, found, strict=True)]
        rows.append([name, level, numbers, outcomes])
    return {
        "runs": [run.label for run in runs],
        "layers": order,
        "operators": list(operators),
        "tasksAChunk": TASKS_A_CHUNK,
        "tasks": rows,
    }


def _outcome(run: Run, task: Scored, order: list[str]) -> list[float | int | None]:
    right = sum(map(run.protocol.counts, task.verdicts))
    bests = (best_speedup(run, task, baseline) for baseline in run.baselines[:1])
    best = next((round(each, 4) for each in bests if each is not None), None)
    failed = Counter(
        _failed_at(each) for each in task.outcomes if not (each.verdict and each.verdict.accepted)
    )
    layer = max(failed, key=lambda name: (failed[name], -order.index(name))) if failed else None
    return [right, len(task.outcomes), best, None if layer is None else order.index(layer)]


def _failed_at(outcome: Outcome) -> str:
    rejection = outcome.verdict and outcome.verdict.rejection
    return rejection.layer if rejection else NO_ANSWER


def chunks(runs: Sequence[Run]) -> Iterator[str]:
    """The details of tasks in the order of `task_ids`, `TASKS_A_CHUNK` at a time."""
    listed = [{each.id: each for each in run.folder.listed} for run in runs]
    ids = task_ids(runs)
    for start in range(0, len(ids), TASKS_A_CHUNK):
        texts: dict[str, int] = {}
        tasks = []
        for name in ids[start : start + TASKS_A_CHUNK]:
            found = [known.get(name) for known in listed]
            sources = dict.fromkeys(each.task.source for each in found if each and each.task)
            errors = dict.fromkeys(each.error for each in found if each and each.error)
            tasks.append(
                {
                    "sources": [_number(texts, each) for each in sources],
                    "errors": list(errors),
                    "runs": [_samples(run, name, texts) for run in runs],
                }
            )
        yield _packed({"texts": list(texts), "tasks": tasks})


def _samples(run: Run, task: str, texts: dict[str, int]) -> list[dict[str, Any]]:
    found = []
    for sample in range(run.folder.config.samples):
        written = run.folder.written.get((task, sample))
        outcome = run.folder.outcomes.get((task, sample))
        if written or outcome:
            found.append({"sample": sample} | _answer(written, texts) | _judged(run, outcome))
    return found


def _answer(written: Written | None, texts: dict[str, int]) -> dict[str, Any]:
    if written is None:
        return {}
    if written.text is None:
        return {"unanswered": written.error or "the model gave no answer"}
    answer = Completion.of_text(written.text)
    parts = {"plan": answer.plan, "code": answer.code}
    if answer.code is None:
        parts = {"answer": answer.text}
    return {name: _number(texts, text) for name, text in parts.items() if text}


def _judged(run: Run, outcome: Outcome | None) -> dict[str, Any]:
    if outcome is None:
        return {}
    if outcome.verdict is None:
        return {"error": f"{outcome.blame}: {outcome.error}"}
    verdict = outcome.verdict.model_dump(mode="json", exclude=_NOT_SHOWN, exclude_none=True)
    return {"right": run.protocol.counts(outcome.verdict), "verdict": verdict}


def _number(texts: dict[str, int], text: str) -> int:
    return texts.setdefault(plain(text), len(texts))


def _packed(document: dict[str, Any]) -> str:
    return base64.b64encode(zlib.compress(dumps(document).encode(), 9)).decode()


def dumps(document: Any) -> str:
    """JSON that is ASCII, and holds nothing that could end the element that it stands in."""
    text = json.dumps(plain_document(document), separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
