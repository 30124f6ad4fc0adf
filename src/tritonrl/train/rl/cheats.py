"""Cheats that a policy found while it learned: the next cases of the red team.

    cheats/E3-1f0c…/task.py   candidate.py   finding.json        `tritonrl verify task.py candidate.py`

A finding counts as one where its rule is an id of the catalogue of cheats.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from tritonrl.files import write_whole
from tritonrl.train.rl.rollouts import Rollout
from tritonrl.verify.completion import Completion

CHEATS = "cheats"
_ID = re.compile(r"[A-Z]\d+")


def is_cheat(rule: str) -> bool:
    return bool(_ID.fullmatch(rule))


def keep_cheats(folder: Path, generation: int, rollouts: Iterable[Rollout]) -> None:
    """Each once, from when it was first found."""
    for each in rollouts:
        verdict = each.judged.verdict
        found = verdict.rejection if verdict else None
        if found is None or not is_cheat(found.rule):
            continue
        code = Completion.parse(each.answer).code or each.answer
        task = each.asked.task
        name = hashlib.sha256(f"{task.source}\n{code}".encode(errors="replace")).hexdigest()[:12]
        place = folder / CHEATS / f"{found.rule}-{name}"
        if place.exists():
            continue
        said = {"generation": generation, "task": task.id, "finding": found.model_dump(mode="json")}
        write_whole(place / "task.py", task.source.encode(errors="replace"))
        write_whole(place / "candidate.py", code.encode(errors="replace"))
        write_whole(place / "finding.json", json.dumps(said, indent=1).encode())
