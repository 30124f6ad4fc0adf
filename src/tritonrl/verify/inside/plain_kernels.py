"""What a kernel's text may name: the language, and nothing that runs Python.

Triton's compiler evaluates attributes and some calls while it walks a kernel: `tl.core.os` is a module, and a
call of what is in it would be made then and there, by the one process that is believed about the compiled
form. The interpreter goes further and runs the whole body as Python, also a branch that no compiler visits.
So a text is read before it is used, every branch of it, and each name must lead to a word of the language.
"""

import ast
import builtins
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import torch
import triton.language as tl
import triton.language.extra.libdevice
from triton.runtime.jit import JITCallable, KernelInterface

from tritonrl.verify.language import LANGUAGE, is_language

assert triton.language.extra.libdevice

PYTHON = {"bool", "float", "int", "len", "list", "max", "min", "print", "range", "tuple"}
"""What a kernel may use of Python's own names. `isinstance` is not among them: the interpreter's values have
other types than the compiler's, and a kernel that asks could do one thing here and another on a GPU."""
_PYTHON_ONLY = {*dir(builtins), "__builtins__"} - PYTHON
_CLASSES = (
    *(tl.tensor, tl.constexpr, tl.dtype, tl.pointer_type, tl.block_type, tl.tuple, tl.tensor_descriptor),
    *(tl.range, tl.static_range, tl.PropagateNan, *([tl.condition] if hasattr(tl, "condition") else [])),
)
_LIBRARIES = f"{LANGUAGE}.extra."
_CONSTANTS = (
    *(bool, int, float, str, type(None)),
    *(tl.dtype, torch.dtype, torch.layout, torch.memory_format),
)
_SET_WHEN_MADE = (
    "address_space dtype element_ty exponent_bias fp_mantissa_width int_bitwidth int_signedness itemsize "
    "name nbytes numel primitive_bitwidth shape shapes strides type value"
)
MEMBERS = {name for each in _CLASSES for name in dir(each)} | set(_SET_WHEN_MADE.split())
"""Attributes of a kernel's values."""


class NotKernel(Exception):
    """A kernel names something that no GPU has."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def is_word(found: Any) -> bool:
    """Whether a kernel may use this: constants, functions and types of the language, and other kernels. What
    Python computes with is none, wherever the language keeps it."""
    if isinstance(found, tl.constexpr):
        return is_word(found.value)
    if type(found) in (tuple, list):
        return all(map(is_word, found))
    if isinstance(found, (JITCallable, KernelInterface, *_CONSTANTS)):
        return True
    if isinstance(found, type):
        return found in _CLASSES
    module = str(getattr(found, "__module__", ""))
    if isinstance(found, FunctionType):
        return module.startswith(_LIBRARIES) or (is_language(module) and tl.core.is_builtin(found))
    return isinstance(found, BuiltinFunctionType) and module == "math"


_WORDS = {
    (module.__name__, name)
    for module in list(sys.modules.values())
    if isinstance(module, ModuleType) and is_language(module.__name__)
    for name, found in vars(module).items()
    if callable(found) and is_word(found)
}
"""Module and name of each, as they are before an interpreter takes their place."""


def word(module: str, name: str) -> Any:
    """What a name of the language stands for."""
    if (module, name) not in _WORDS:
        raise NotKernel(f"{module}.{name} is no word of the language")
    return getattr(sys.modules[module], name)


def check(text: str, names: dict[str, Any]) -> None:
    """Raise `NotKernel` for text that reaches out of the language. `names` are those of its module."""
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef):
            known = {**dict.fromkeys(names_bound_in(function)), **names}
            # The head is the judge's writing.
            nodes = [node for statement in function.body for node in ast.walk(statement)]
            owners = {id(each.value) for each in nodes if isinstance(each, ast.Attribute)}
            for node in nodes:
                for complaint in _complaints(node, id(node) in owners, known):
                    raise NotKernel(complaint, getattr(node, "lineno", None))


def names_bound_in(function: ast.FunctionDef) -> Iterator[str]:
    """Names that it binds itself; a parameter may well be called `input`."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _complaints(node: Any, is_owner: bool, names: dict[str, Any]) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield "a kernel imports nothing"
    if isinstance(node, ast.Name) and node.id in _PYTHON_ONLY and node.id not in names:
        yield f"{node.id!r} has no meaning on a GPU"
    if isinstance(node, ast.Attribute):
        owner = resolve(node.value, names)
        if node.attr.startswith("_") or not (isinstance(owner, ModuleType) or node.attr in MEMBERS):
            yield f"{node.attr!r} is a name of Python's, not of the language"
    found = resolve(node, names)
    if isinstance(found, ModuleType) and not is_language(found.__name__):
        yield f"{ast.unparse(node)} is the module {found.__name__!r}"
    elif isinstance(found, ModuleType) and not is_owner:
        # In a choice, a list or a constant it would be out of sight for what follows.
        yield f"the module {ast.unparse(node)} is used as a value"
    elif not isinstance(found, ModuleType) and not is_word(found):
        yield f"{ast.unparse(node)} is Python's, not the language's"


def resolve(node: Any, names: dict[str, Any]) -> Any:
    """What a dotted name stands for as far as it leads through modules; None beyond."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = resolve(node.value, names)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None
