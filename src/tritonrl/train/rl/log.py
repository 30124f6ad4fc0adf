"""The log of a run of reinforcement learning: a line a generation, a line a look at held-out programs, every
rollout, and pictures of it all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tritonrl import files, jsonl
from tritonrl.folders import as_row
from tritonrl.folders import read as read_records
from tritonrl.train.rl.records import Logged, Look
from tritonrl.train.rl.rollouts import Rollout

LOG, HELD_OUT, ROLLOUTS = "log.jsonl", "held_out.jsonl", "rollouts"


def append(path: Path, record: Logged | Look) -> None:
    """A whole line, or nothing: what was torn before is cut off."""
    if path.exists():
        jsonl.drop_torn_tail(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{jsonl.dumps(as_row(record))}\n")


def read(folder: Path) -> list[Logged]:
    """The generations of a run; of one that was made twice, after a resume, the last."""
    found = {each.generation: each for each in read_records(folder / LOG, Logged)}
    return [found[generation] for generation in sorted(found)]


def read_looks(folder: Path) -> list[Look]:
    found = {(each.generation, each.level): each for each in read_records(folder / HELD_OUT, Look)}
    return [found[key] for key in sorted(found)]


def keep_rollouts(folder: Path, generation: int, rollouts: Sequence[Rollout]) -> None:
    """A file a generation, with everything that a later look at it needs."""
    lines = "".join(f"{jsonl.dumps(_row(each))}\n" for each in rollouts)
    files.write_whole(folder / ROLLOUTS / f"{generation:06}.jsonl", lines.encode(errors="replace"))


def _row(rollout: Rollout) -> dict[str, Any]:
    judged, verdict = rollout.judged, rollout.judged.verdict
    rejection = verdict.rejection if verdict else None
    return {
        "task": rollout.asked.task.model_dump(mode="json", exclude_none=True),
        "answer": rollout.answer,
        "accepted": verdict.accepted if verdict else None,
        "speedup": verdict.speedup if verdict else None,
        "finding": rejection.model_dump(mode="json") if rejection else None,
        "error": str(judged.error) if judged.error else None,
        "num_tokens": len(rollout.written.tokens),
        "num_plan_tokens": rollout.num_plan,
    }
