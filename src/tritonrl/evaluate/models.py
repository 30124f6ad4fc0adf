"""Who answers in a run: a policy, or a file of completions that somebody saved."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from tritonrl import jsonl
from tritonrl.errors import UserError
from tritonrl.policy import Hear, Proposal, unheard
from tritonrl.tasks import Task
from tritonrl.teach.policies import Make, policy

TEXTS = ("text", "completion", "code")
"""Names under which a saved row may have its answer."""


def model(name: str) -> Make:
    """What makes the model of this name; a `UserError` where there is none, or no such file."""
    if not name.startswith("file:"):
        return policy(name)
    saved = Saved(Path(name.removeprefix("file:")))
    return lambda seed, zygotes: saved


class Saved:
    """Completions from a JSONL: rows of `task`, an answer, and perhaps `sample`."""

    scope = "a file of answers; it has those that were saved"

    def __init__(self, path: Path) -> None:
        self._answers: defaultdict[str, dict[int, str]] = defaultdict(dict)
        for number, row in jsonl.read(path):
            name, text = row.get("task"), next((row[each] for each in TEXTS if each in row), None)
            answers = self._answers[name] if isinstance(name, str) else {}
            sample = row.get("sample", len(answers))
            if not isinstance(name, str) or not isinstance(text, str) or type(sample) is not int:
                names = "/".join(TEXTS)
                raise UserError(f"{path}:{number}: no completion; expected task, {names}, perhaps sample")
            answers[sample] = text

    def note(self, task: Task) -> str | None:
        return None

    def propose(self, task: Task, samples: Sequence[int], hear: Hear = unheard) -> Iterator[Proposal]:
        for sample in samples:
            text = self._answers[task.id].get(sample)
            yield Proposal(sample, text, None if text is not None else "the file has no such completion")
