"""The drop-in: a file that needs torch and triton only, and stands in for the task's own.

It is the candidate's code and a guard: calls like those that were verified go to the kernels, any others to
the task's own PyTorch, since a kernel may be written for one shape and has no gradient. The guard is code
like any other, so what is verified at the end is the whole file.
"""

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Any

import torch

from tritonrl.search import guard
from tritonrl.search.found import Found
from tritonrl.source import syntax_tree
from tritonrl.tasks import Task
from tritonrl.verify import Verdict, Zygotes
from tritonrl.verify.completion import Completion
from tritonrl.verify.oracle.worker import Worker
from tritonrl.verify.pool import Hands
from tritonrl.verify.roles import VerifierError
from tritonrl.verify.structure import unflatten

DRAW_SECONDS = 120.0
NUMBER = -1
"""Of the first file, among those that are judged, and less for others: no candidate has it."""
HEAD = "# Written by {model} for {task}; `tritonrl verify` says what of it holds.\n"


@dataclass(frozen=True)
class Calls:
    """The calls that kernels are verified for, as the guard spells them."""

    inputs: tuple[str, ...]
    arguments: str = "[[], {}]"
    """Of the constructor, by place and by name."""


def drop_in(found: Found, hands: Hands, zygotes: Zygotes, model: str) -> str | None:
    """The file of the best candidate that is accepted as a whole; None where nothing is worth having, or
    somebody interrupts. Candidates then have the verdicts on their files."""
    try:
        calls = calls_of(zygotes, found.task) if found.best else Calls(())
        while (best := found.best) and best.completion and best.completion.code:
            text = written(found.task, best.completion.code, calls, model)
            number = NUMBER - best.sample
            judged = hands.submit(number, found.task, Completion.of_code(text)).result()
            if judged.verdict is None:
                raise judged.error or VerifierError(f"no verdict on the file of candidate {best.sample}")
            best.whole = judged.verdict
            if best.whole.accepted:
                return text
            found.reason = f"the file of candidate {best.sample} is not accepted: {_why(best.whole)}"
    except KeyboardInterrupt:
        found.interrupted = True
    return None


def _why(verdict: Verdict) -> str:
    found = verdict.rejection
    return f"{found.rule}: {found.message}" if found else "no layer says why"


def calls_of(zygotes: Zygotes, task: Task) -> Calls:
    """Those of the task's own inputs and constructor."""
    with Worker(zygotes, task, DRAW_SECONDS, zygotes.device) as worker:
        drawn = worker.draw(0, worker.varying)
        inputs = unflatten(drawn.structure, drawn.tensors)
        if task.kind == "functional":
            return Calls(tuple(map(_kind, inputs)))
        init = worker.build(0, 0, worker.varying).init
    return Calls(tuple(map(_kind, inputs)), _value(unflatten(init.structure, init.tensors)))


def _kind(value: Any) -> str:
    """An input as the guard sees it."""
    if isinstance(value, torch.Tensor):
        return f"({tuple(value.shape)}, {value.stride()}, {value.dtype})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_kind, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_kind(each)}' for key, each in value.items())}}}"
    return _value(value)


def _value(value: Any) -> str:
    """What Python reads as this value; of a tensor, as one of its kind."""
    if isinstance(value, torch.Tensor):
        return f"torch.empty_strided({tuple(value.shape)}, {value.stride()}, dtype={value.dtype})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_value(each)}' for key, each in value.items())}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return f"torch.{value!r}" if isinstance(value, torch.device) else repr(value)


def written(task: Task, code: str, calls: Calls, model: str) -> str:
    """The file, for these calls."""
    is_function = task.kind == "functional"
    own = _Own.of(task)
    name = "_in_torch" if is_function else "_forward_in_torch"
    fallback = own.renamed(name) or guard.NO_FALLBACK.format(name=name)
    inputs, fields = own.call(calls.inputs)
    parts = [guard.INPUTS.format(inputs=f"[{', '.join(inputs)}]")]
    parts += [] if is_function else [guard.ARGUMENTS.format(arguments=calls.arguments)]
    parts += [guard.GUARD, guard.FUNCTION_GUARD if is_function else guard.MODULE_GUARD]
    parts += [
        (guard.FUNCTION if is_function else guard.CLASS).format(
            entry=task.entry,
            made=task.candidate_entry,
            doc=own.doc(),
            fallback=(fallback if is_function else indent(fallback, "    ")).rstrip(),
            **fields,
        )
    ]
    needed = ["import torch", "import triton"]
    code = _importing(code, needed if is_function else ["import inspect", "import types", *needed])
    return f"{HEAD.format(model=model, task=task.id)}{code.rstrip()}\n\n{''.join(parts).rstrip()}\n"


def _importing(code: str, needed: Sequence[str]) -> str:
    """The code with each import once, those that are needed and not there before the others."""
    lines: list[str | None] = [*code.split("\n")]
    body = syntax_tree(code).body
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    imports = [node for node in imports if getattr(node, "module", None) != "__future__"]
    rows = {node.lineno - 1: ast.unparse(node) for node in imports}
    there = set[str]()
    for row, text in rows.items():
        if text in there and lines[row] == text:
            lines[row] = None
        there.add(text)
    missing = [each for each in needed if each not in there]
    first = min(rows, default=next((node.lineno - 1 for node in body if not _opens(node)), 0))
    lines[first:first] = missing
    return "\n".join(line for line in lines if line is not None)


def _opens(node: ast.stmt) -> bool:
    """Whether nothing but the likes of it may stand before it: a docstring, or an import of the future."""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


@dataclass(frozen=True)
class _Own:
    """The task's own class and forward, or its function."""

    source: str
    home: ast.ClassDef | ast.FunctionDef | None
    forward: ast.FunctionDef | None

    @classmethod
    def of(cls, task: Task) -> "_Own":
        def found(body: Sequence[Any], kind: Any, name: str) -> Any:
            return next((node for node in body if isinstance(node, kind) and node.name == name), None)

        body = syntax_tree(task.source).body
        if task.kind == "functional":
            function = found(body, ast.FunctionDef, task.entry)
            return cls(task.source, function, function)
        home = found(body, ast.ClassDef, task.entry)
        return cls(task.source, home, home and found(home.body, ast.FunctionDef, "forward"))

    def renamed(self, name: str) -> str | None:
        """Its text under another name; None where it has none that can stand alone."""
        text = ast.get_source_segment(self.source, self.forward, padded=True) if self.forward else None
        if self.forward is None or text is None or "super()" in text:
            return None
        decorators = [f"@{ast.unparse(each)}" for each in self.forward.decorator_list]
        text = dedent(text).replace(f"def {self.forward.name}(", f"def {name}(", 1)
        return "\n".join([*decorators, text])

    def doc(self) -> str:
        """Its docstring, and what has become of it."""
        own = ast.get_docstring(self.home) if self.home else None
        text = f"{own}\n\n{guard.DOC}\n" if own else guard.DOC
        text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        return indent(text, "    ").lstrip() + "    " * bool(own)

    def call(self, inputs: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """The inputs, completed by its defaults, and how a call is passed on: by its own parameters, so that
        it can be made by keyword, where these are plain."""
        names, defaults = self._plain(len(inputs))
        if names is None:
            return [*inputs], {
                "parameters": "*args, **kwargs", "by_place": "not kwargs and ", "args": "args",
                "given": "*args", "all": "*args, **kwargs",
            }  # fmt: skip
        num_needed = len(names) - len(defaults)
        spelled = [*names[:num_needed], *map("=".join, zip(names[num_needed:], defaults, strict=True))]
        every = ", ".join(names)
        rest = [_kind(ast.literal_eval(each)) for each in defaults[len(inputs) - num_needed :]]
        return [*inputs, *rest], {
            "parameters": ", ".join(spelled), "by_place": "", "args": f"({every}{',' * (len(names) == 1)})",
            "given": ", ".join(names[: len(inputs)]), "all": every,
        }  # fmt: skip

    def _plain(self, num_inputs: int) -> tuple[list[str] | None, list[str]]:
        """The names of its parameters without `self`, and the defaults of the last."""
        if self.forward is None:
            return None, []
        asked = self.forward.args
        names = [each.arg for each in asked.args][0 if self.forward is self.home else 1 :]
        defaults = [each for each in asked.defaults if _is_literal(each)]
        others = (*asked.posonlyargs, *asked.kwonlyargs, asked.vararg, asked.kwarg)
        fits = len(names) - len(defaults) <= num_inputs <= len(names)
        if any(others) or len(defaults) < len(asked.defaults) or self.forward.decorator_list or not fits:
            return None, []
        return names, [ast.unparse(each) for each in defaults]


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
