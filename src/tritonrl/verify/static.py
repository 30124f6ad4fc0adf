"""The layers that only read, before lint: parse and syntax. They reject early and explain well."""

import ast
import warnings
from collections.abc import Iterator

from tritonrl.source import syntax_tree
from tritonrl.tasks import Task
from tritonrl.verify.completion import Completion
from tritonrl.verify.verdict import Finding


def parse(completion: Completion, needs_plan: bool) -> Iterator[Finding]:
    """A code block is there, and a plan where one is asked for."""
    if completion.code is None or not completion.code.strip():
        yield Finding(
            layer="parse", rule="parse", message="no code: the answer has no closed ```python block"
        )
    elif needs_plan and not completion.plan:
        yield Finding(layer="parse", rule="parse", message="no plan: the answer has no <think>…</think>")


def syntax(code: str, task: Task) -> Iterator[Finding]:
    """It is Python, defines what the task asks for, and holds a Triton kernel."""
    try:
        tree = parsed(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        what = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        yield Finding(layer="syntax", rule="syntax", message=f"not valid Python: {what}", line=line)
        return
    entry = task.candidate_entry
    if entry not in _names_bound(tree):
        kind = "function" if task.kind == "functional" else "class"
        yield Finding(layer="syntax", rule="syntax", message=f"does not define the {kind} {entry!r}")
    if not any(_names_jit(node) for node in ast.walk(tree)):
        message = "no function is decorated with @triton.jit: a candidate holds at least one Triton kernel"
        yield Finding(layer="syntax", rule="A2", message=message)


def parsed(code: str) -> ast.Module:
    """The tree of a text that Python takes, with whatever it may warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a doubtful escape or comparison is Python all the same
        compile(code, "candidate.py", "exec", dont_inherit=True)
        return syntax_tree(code)


def _names_jit(node: ast.AST) -> bool:
    """`triton.jit`, however it is written: as a decorator, called, or imported under another name."""
    if isinstance(node, ast.ImportFrom):
        library = str(node.module).partition(".")[0] == "triton"
        return library and any(alias.name in ("jit", "*") for alias in node.names)
    return isinstance(node, ast.Attribute) and node.attr == "jit"


def _names_bound(tree: ast.Module) -> set[str]:
    """Names that the file binds anywhere outside functions; one bound by `exec` or an import is seen when it
    runs."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return bound
