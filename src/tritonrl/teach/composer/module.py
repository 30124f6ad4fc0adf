"""A whole module by the composer: the class as it was, with another name and another `forward`.

class ModelNew(nn.Module):
    def __init__(self, width): …                         # constructor and state stay

    def forward(self, *args):
        outputs = triton_fused_operator(args[0], self.norm.weight, …)
        return outputs[0]
"""

import ast
import io
import random
import tokenize
from textwrap import indent

from tritonrl.tasks import Task
from tritonrl.teach import form
from tritonrl.teach.composer.compose import Composer, NotComposed
from tritonrl.verify.capturing import Captured
from tritonrl.verify.completion import Completion

FORWARD = """def forward(self, *args):
    outputs = triton_fused_operator({arguments})
{updates}    return {returned}
"""


class ModuleComposer:
    """One captured module, for any number of answers."""

    def __init__(self, task: Task, captured: Captured) -> None:
        if reason := _not_composed(captured):
            raise NotComposed(f"the composer writes no module that {reason}")
        self._composer = Composer(captured.program)
        changed = _with_forward(task.source, task.entry, _forward(captured))
        self._module = _renamed(changed, task.entry, task.candidate_entry)

    def answer(self, rng: random.Random | None = None) -> str:
        """Plan and code, as `Composer.answer` gives them for a program."""
        written = Completion.parse(self._composer.answer(rng))
        code = f"{self._module.rstrip()}\n\n\n{(written.code or '').rstrip()}\n"
        return form.answer(written.plan or "", code)


def _forward(captured: Captured) -> str:
    first = len(captured.program.outputs) - len(captured.updates)
    updates = [
        f"    {buffer}.copy_(outputs[{first + place}])\n" for place, buffer in enumerate(captured.updates)
    ]
    arguments = ", ".join(text for _, text in captured.sources)
    return FORWARD.format(arguments=arguments, updates="".join(updates), returned=captured.returned)


def _with_forward(source: str, entry: str, forward: str) -> str:
    """The source with another `forward` in this class, where the old one was or at the end."""
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
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


def _not_composed(captured: Captured) -> str | None:
    opaque = [node.attrs["call"] for node in captured.program.nodes if node.op == "opaque"]
    if opaque:
        return f"calls {opaque[0]}, which is in no table"
    if any(kind == "constant" for kind, _ in captured.sources):
        return "has tensors of its own that are no parameters and no buffers"
    if not all(captured.updates):
        return "changes its inputs in place"
    return None
