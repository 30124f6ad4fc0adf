"""No reward hacking: what was accepted last is verified again, with other seeds and the strictest settings.

Nothing comes from the cache, so every question is drawn anew. Strictest: no library operator, no precision
below the task's, no layer skipped, four times as many checked calls and as much time for them.
"""

import json
from pathlib import Path
from typing import Any

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.files import write_whole
from tritonrl.tasks import Task
from tritonrl.train.begin import recipe_of
from tritonrl.train.rl.log import ROLLOUTS
from tritonrl.train.rl.recipe import Rl
from tritonrl.train.rl.verifier import settings
from tritonrl.verify import Completion, Settings, Zygotes, verify_many
from tritonrl.verify.cache import normalised

RECHECK = "recheck.json"
CALLS_TIMES = 4


def strictest(usual: Settings) -> Settings:
    return usual.model_copy(
        update={
            "policy": "full", "precision": "ieee", "skip_layers": (), "timing": False, "needs_plan": True,
            "num_calls": CALLS_TIMES * usual.num_calls,
            "total_seconds": CALLS_TIMES * usual.total_seconds,
        }
    )  # fmt: skip


def recheck(
    folder: Path, last: int, usual: Settings, *, workers: int | None = None, zygotes: Zygotes | None = None
) -> dict[str, Any]:
    """Of the last so many rollouts of a run; written to `recheck.json`, too."""
    chosen = last_rollouts(folder, last)
    accepted = [row for row in chosen if row["accepted"]]
    parsed = [(row["task"], Completion.parse(row["answer"])) for row in accepted]
    distinct = list({(task["source"], normalised(each.code)): (task, each) for task, each in parsed}.values())
    tasks = [Task.model_validate(task) for task, _ in distinct]
    answers = [each for _, each in distinct]
    failed, not_judged = [], []
    for judged in verify_many(tasks, answers, strictest(usual), workers=workers, zygotes=zygotes):
        if judged.verdict is None:
            not_judged.append({"task": judged.task.id, "error": str(judged.error)})
        elif not judged.verdict.accepted:
            found = judged.verdict.rejection
            failed.append(
                {
                    "task": judged.task.id,
                    "finding": found.model_dump(mode="json") if found else None,
                    "answer": answers[judged.number].text,
                }
            )
    told = {
        "num_rollouts": len(chosen),
        "num_accepted": len(accepted),
        "num_distinct": len(distinct),
        "num_passed_again": len(distinct) - len(failed) - len(not_judged),
        "failed": failed,
        "not_judged": not_judged,
    }
    write_whole(folder / RECHECK, json.dumps(told, indent=1).encode())
    return told


def of_run(folder: Path, last: int) -> dict[str, Any]:
    """The same for the folder of a run alone."""
    recipe = recipe_of(folder, Rl, "train rl")
    return recheck(folder, last, settings(recipe.verification), workers=recipe.verification.workers)


def last_rollouts(folder: Path, count: int) -> list[dict[str, Any]]:
    """The latest of a run, as they were kept."""
    found: list[dict[str, Any]] = []
    paths = sorted((folder / ROLLOUTS).glob("*.jsonl"), reverse=True)
    if not paths:
        raise UserError(f"{folder}: has no rollouts; `tritonrl train rl` makes such a folder")
    for path in paths:
        found = [row for _, row in jsonl.read(path)] + found
        if len(found) >= count:
            break
    return found[-count:] if count else []
