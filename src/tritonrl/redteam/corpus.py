"""The corpus as files. A case opens with a docstring: what it does, then lines of `field: value`.

task: row_softmax            a file of `tasks/`
caught: faithful, correct    layers, one of which must catch it where lint is off; a cheat's only
policy: hybrid               where it is not judged under the full policy
needs: gpu                   where it does nothing, or nothing wrong, without a CUDA device
needs: interpreter           where a GPU may show it or not: whether a race is lost there is luck
"""

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

from tritonrl.errors import UnknownNameError, UserError
from tritonrl.source import syntax_tree
from tritonrl.tasks import Task, load_task

FOLDER = Path(__file__).parent
HONEST = "honest"
WRONG = "wrong"
"""Families beside the ids of the catalogue: what must be accepted, and honest mistakes."""

_FIELD = re.compile(r"^(task|caught|policy|needs): (.+)$", flags=re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One candidate with its task, and what must happen to it."""

    id: str
    """`family/name`."""
    task: Task
    code: str
    story: str
    """What it does."""
    caught: tuple[str, ...]
    policy: str
    needs_gpu: bool
    needs_interpreter: bool

    @property
    def family(self) -> str:
        return self.id.partition("/")[0]

    @property
    def kind(self) -> str:
        return HONEST if self.family == HONEST else "cheat"


def corpus(only: tuple[str, ...] = (), device: str = "cpu") -> list[Case]:
    """All cases that this device can show, in the order of their families; or those of the families, letters
    and ids given."""
    paths = sorted((FOLDER / "cases").glob("*/*.py"), key=lambda path: (_rank(path.parent.name), path.stem))
    chosen = [path for path in paths if not only or any(_is_meant(path, each) for each in only)]
    for each in only:
        if not any(_is_meant(path, each) for path in chosen):
            known = dict.fromkeys(path.parent.name for path in paths)
            raise UnknownNameError("case or family", each, [*known])
    cases = {path: _read(path) for path in chosen}
    shown = {
        path: case
        for path, case in cases.items()
        if not (case.needs_gpu if device == "cpu" else case.needs_interpreter)
    }
    for each in only:
        if not any(_is_meant(path, each) for path in shown):
            other = "a GPU: --device cuda" if device == "cpu" else "Triton's interpreter: --device cpu"
            raise UserError(f"{each} needs {other}")
    return list(shown.values())


def _is_meant(path: Path, name: str) -> bool:
    family = path.parent.name
    return name in (family, f"{family}/{path.stem}", path.stem, re.sub(r"\d+$", "", family))


def _rank(family: str) -> tuple[int, str, int]:
    """Ids by letter and number, then mistakes, then honest kernels."""
    letter, number = re.sub(r"\d", "", family), re.sub(r"\D", "", family)
    return ([WRONG, HONEST].index(family) + 1 if not number else 0, letter, int(number or 0))


def _read(path: Path) -> Case:
    code = path.read_text(encoding="utf-8")
    header = ast.get_docstring(syntax_tree(code)) or ""
    fields = {name: value.strip() for name, value in _FIELD.findall(header)}
    caught = tuple(each.strip() for each in fields.get("caught", "").split(",") if each.strip())
    return Case(
        id=f"{path.parent.name}/{path.stem}",
        task=_task(fields["task"]),
        code=code,
        story=_FIELD.sub("", header).strip(),
        caught=caught,
        policy=fields.get("policy", "full"),
        needs_gpu=fields.get("needs") == "gpu",
        needs_interpreter=fields.get("needs") == "interpreter",
    )


@functools.cache
def _task(name: str) -> Task:
    return load_task(FOLDER / "tasks" / f"{name}.py")
