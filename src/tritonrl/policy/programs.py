"""Tasks as programs, for those who write kernels for programs alone: the composer, and models such as nano.

    question = Questions(zygotes).of(task)
    question.answer(written)             # for question.program, as an answer to the task

An answer to a program defines `triton_fused_operator`. A module's answer is the class as it was, with another
name and another `forward`, and these kernels below it:

    class ModelNew(nn.Module):
        def __init__(self, width): …                         # constructor and state stay

        def forward(self, *args):
            outputs = triton_fused_operator(args[0], self.norm.weight, …)
            return outputs[0]
"""

import ast
import io
import os
import tokenize
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from textwrap import indent

from tritonrl import form
from tritonrl.errors import UserError
from tritonrl.policy.policy import Proposal
from tritonrl.program import Program
from tritonrl.source import syntax_tree
from tritonrl.tasks import Task, TaskError
from tritonrl.verify import Zygotes
from tritonrl.verify.capturing import Captured, capture_task
from tritonrl.verify.completion import Completion
from tritonrl.verify.zygotes import zygotes_of_own

FORWARD = """def forward(self, *args):
    outputs = triton_fused_operator({arguments})
{updates}    return {returned}
"""


class NotAsked(UserError):
    """Who writes kernels cannot be asked this."""


@dataclass(frozen=True)
class Question:
    """A task as a program."""

    task: Task
    program: Program
    captured: Captured | None = None
    """How the program takes the place of the task's code; None where the task was made from the program."""

    @classmethod
    def of(cls, task: Task, zygotes: Zygotes | None = None) -> "Question":
        """A `TaskError` where it cannot be captured, or has no one right answer."""
        if task.kind == "functional" and task.program is not None:
            return cls(task, Program.from_json(task.program))
        with zygotes_of_own(zygotes) as held:
            captured = capture_task(held, task)
        if captured.random:
            raise TaskError(task.id, f"is random ({', '.join(captured.random)}), so no answer is right")
        return cls(task, captured.program, captured)

    @property
    def ops(self) -> tuple[str, ...]:
        return tuple(node.op for node in self.program.nodes)

    @property
    def hindrance(self) -> str | None:
        """What it does that no program's answer can do for it; None if there is nothing."""
        opaque = [node.attrs["call"] for node in self.program.nodes if node.op == "opaque"]
        return f"calls {opaque[0]}, which is in no table" if opaque else self.obstacle

    @property
    def obstacle(self) -> str | None:
        """What it does that cannot be done even where PyTorch does most of it."""
        if self.captured and any(kind == "constant" for kind, _ in self.captured.sources):
            return "has tensors of its own that are no parameters and no buffers"
        if self.captured and not all(self.captured.updates):
            return "changes its inputs in place"
        return None

    def answer(self, text: str) -> str:
        """An answer to the program as one to the task; one without code stays without."""
        written = Completion.parse(text)
        if self.task.kind == "functional" or self.captured is None or written.code is None:
            return text
        changed = _with_forward(self.task.source, self.task.entry, _forward(self.captured))
        module = _renamed(changed, self.task.entry, self.task.candidate_entry)
        return form.answer(written.plan, f"{module.rstrip()}\n\n\n{written.code.rstrip()}\n")


class Questions:
    """Tasks as programs, each captured once, and many of them side by side."""

    def __init__(self, zygotes: Zygotes | None = None) -> None:
        self._zygotes = zygotes
        self._known: dict[tuple[str, str], Question | TaskError] = {}

    def of(self, task: Task) -> Question:
        """A `TaskError` where it cannot be captured, or has no one right answer."""
        if _key(task) not in self._known:
            self.foresee([task])
        found = self._known[_key(task)]
        if isinstance(found, TaskError):
            raise found
        return found

    def foresee(self, tasks: Sequence[Task]) -> None:
        """These will be asked for, and those before no more."""
        wanted = {_key(task): task for task in tasks}
        num_threads = len(os.sched_getaffinity(0)) if self._zygotes else 1
        with ThreadPoolExecutor(num_threads) as threads:
            asked = {
                key: threads.submit(_asked, task, self._zygotes)
                for key, task in wanted.items()
                if key not in self._known
            }
            try:
                found = self._known | {key: future.result() for key, future in asked.items()}
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise
        self._known = {key: found[key] for key in wanted}


def _key(task: Task) -> tuple[str, str]:
    return task.id, task.source


def _asked(task: Task, zygotes: Zygotes | None) -> Question | TaskError:
    try:
        return Question.of(task, zygotes)
    except TaskError as error:
        return error


def refusals(samples: Sequence[int], error: UserError) -> Iterator[Proposal]:
    """No answer to any of these samples."""
    blames_task = isinstance(error, TaskError)
    yield from (Proposal(each, error=str(error), blames_task=blames_task) for each in samples)


def _forward(captured: Captured) -> str:
    first = len(captured.program.outputs) - len(captured.updates)
    updates = [
        f"    {buffer}.copy_(outputs[{first + place}])\n" for place, buffer in enumerate(captured.updates)
    ]
    arguments = ", ".join(text for _, text in captured.sources)
    return FORWARD.format(arguments=arguments, updates="".join(updates), returned=captured.returned)


def _with_forward(source: str, entry: str, forward: str) -> str:
    """The source with another `forward` in this class, where the old one was or at the end."""
    classes = (node for node in syntax_tree(source).body if isinstance(node, ast.ClassDef))
    found = next(node for node in classes if node.name == entry)
    lines, inside = source.splitlines(keepends=True), " " * found.body[0].col_offset
    first = last = found.end_lineno or len(lines)
    old = next((n for n in found.body if isinstance(n, ast.FunctionDef) and n.name == "forward"), None)
    if old is not None:
        first = min([old.lineno, *(each.lineno for each in old.decorator_list)]) - 1
        last = old.end_lineno or first
    return "".join([*lines[:first], "\n" * (old is None), indent(forward, inside), *lines[last:]])


def _renamed(source: str, old: str, new: str) -> str:
    """The source in which a name is another one, wherever it stands for itself."""
    lines = source.splitlines(keepends=True)
    found = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.NAME and token.string == old
    ]
    for token in reversed(found):
        row, column = token.start
        line = lines[row - 1]
        lines[row - 1] = f"{line[:column]}{new}{line[column + len(old) :]}"
    return "".join(lines)
