"""The layers that only read: parse, syntax and lint. They reject early and explain well; no guarantee rests
on them."""

import ast
import warnings
from collections.abc import Iterator

from tritonrl.tasks import Task
from tritonrl.verify.completion import Completion
from tritonrl.verify.verdict import Finding

STARTS_PROGRAMS = {"subprocess", "pip", "urllib", "requests", "socket", "http", "ftplib", "multiprocessing"}
"""Modules that a kernel has no use for, and that the sandbox would stop."""


REACH_BY_TEXT = {"globals", "locals", "vars", "getattr", "eval", "exec", "modules"}
"""Ways to a function that do not name it."""


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
        tree = _parsed(code)
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


def lint(code: str) -> Iterator[Finding]:
    """Tripwires: what an honest kernel never does."""
    tree = _parsed(code)
    kernels = {
        node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_kernel(node)
    }
    read = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    read |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    read |= {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    indirect = any(len(node.decorator_list) > 1 for node in kernels.values()) or bool(read & REACH_BY_TEXT)
    if kernels and not indirect and not any(name in read for name in kernels):
        name, node = next(iter(kernels.items()))
        message = f"kernel {name!r} is defined and never used: the work is done elsewhere"
        yield Finding(layer="lint", rule="A2", message=message, line=node.lineno)
    for node in ast.walk(tree):
        for name in _imported(node):
            if name.partition(".")[0] in STARTS_PROGRAMS:
                message = f"imports {name!r}: a kernel needs no programs, downloads or network"
                yield Finding(layer="lint", rule="A10", message=message, line=getattr(node, "lineno", None))


def _parsed(code: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a doubtful escape or comparison is Python all the same
        compile(code, "candidate.py", "exec", dont_inherit=True)
        return ast.parse(code)


def _names_jit(node: ast.AST) -> bool:
    """`triton.jit`, however it is written: as a decorator, called, or imported under another name."""
    if isinstance(node, ast.ImportFrom):
        library = str(node.module).partition(".")[0] == "triton"
        return library and any(alias.name in ("jit", "*") for alias in node.names)
    return isinstance(node, ast.Attribute) and node.attr == "jit"


def _is_kernel(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    names = [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
    return any(name.rpartition(".")[2] == "jit" for name in names)


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


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
