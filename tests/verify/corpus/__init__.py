"""Kernels that must be accepted, kernels that must be rejected, and the tasks that they answer. A case is a
file.

It opens with a docstring: what it does, then `task:` with the name of a file in `tasks/` and, for a wrong
one, `rule:` with the id of the catalogue of cheats that fits it best.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tritonrl.tasks import Task, load_task

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One candidate with its task."""

    name: str
    task: Task
    code: str
    rule: str | None


def cases(kind: str) -> list[Case]:
    """All cases of `honest` or `wrong`, by name."""
    return [_read(path) for path in sorted((FOLDER / kind).glob("*.py"))]


def _read(path: Path) -> Case:
    code = path.read_text()
    fields = dict(re.findall(r"^(task|rule): (\S+)$", code, flags=re.MULTILINE))
    return Case(path.stem, load_task(FOLDER / "tasks" / f"{fields['task']}.py"), code, fields.get("rule"))
