"""What a kernel's text may name where it is compiled: the language, and nothing that runs Python.

Triton's compiler evaluates attribute access and some calls while it walks a kernel: `tl.core.os` is a module,
and a call of what is in it would be made then and there, by the one process that is believed about the
compiled form. So names that lead out of the language are refused before anything is compiled.
"""

import ast
from types import ModuleType
from typing import Any

LANGUAGE = "triton.language"
MODULES = ("triton", "math")
REFUSED_NAMES = {
    "getattr",
    "setattr",
    "delattr",
    "hasattr",
    "vars",
    "globals",
    "locals",
    "eval",
    "exec",
    "open",
}
REFUSED_NAMES |= {"compile", "type", "object", "super", "input", "breakpoint", "dir"}


class NotKernel(Exception):
    """A kernel names something that no GPU has."""


def is_language(module: str) -> bool:
    """Whether a kernel may use names of this module."""
    return module in MODULES or module == LANGUAGE or module.startswith(f"{LANGUAGE}.")


def check(text: str, names: dict[str, Any]) -> None:
    """Raise `NotKernel` for text that reaches out of the language. `names` are those of its module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            bases = {id(each.value) for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            for inner in ast.walk(node):
                _check_node(inner, names)
                if isinstance(_resolve(inner, names), ModuleType) and id(inner) not in bases:
                    # In a choice, a list or a constant it would be out of sight for what follows.
                    raise NotKernel(f"the module {ast.unparse(inner)} is used as a value")


def _check_node(node: ast.AST, names: dict[str, Any]) -> None:
    if isinstance(node, ast.Name) and (node.id in REFUSED_NAMES or node.id.startswith("__")):
        raise NotKernel(f"line {node.lineno}: {node.id!r} has no meaning on a GPU")
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        raise NotKernel(f"line {node.lineno}: a kernel imports nothing")
    if isinstance(node, ast.Attribute):
        if node.attr.startswith("_"):
            raise NotKernel(f"line {node.lineno}: {node.attr!r} is a name of Python's, not of the language")
        found = _resolve(node, names)
        if isinstance(found, ModuleType) and not is_language(found.__name__):
            raise NotKernel(f"line {node.lineno}: {ast.unparse(node)} is the module {found.__name__!r}")


def _resolve(node: Any, names: dict[str, Any]) -> Any:
    """What a dotted name stands for as far as it leads through modules; None beyond."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, names)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None
