"""What a kernel's text may name: the language, and nothing that runs Python.

Triton's compiler evaluates attributes and some calls while it walks a kernel: `tl.core.os` is a module, and a
call of what is in it would be made then and there, by the one process that is believed about the compiled
form. The interpreter goes further and runs the whole body as Python, also a branch that no compiler visits.
So a text is read before it is used, every branch of it, and each name must lead to a word of the language.
"""

import ast
import builtins
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import triton.language as tl
from triton.runtime.jit import JITCallable, KernelInterface

from tritonrl.verify.language import is_language

PYTHON = {"bool", "float", "int", "len", "list", "max", "min", "print", "range", "tuple"}
"""What a kernel may use of Python's own names. `isinstance` is not among them: the interpreter's values have
other types than the compiler's, and a kernel that asks could do one thing here and another on a GPU."""
_PYTHON_ONLY = {*dir(builtins), "__builtins__"} - PYTHON
_CLASSES = (tl.tensor, tl.constexpr, tl.dtype, tl.pointer_type, tl.block_type, tl.tuple, tl.tensor_descriptor)
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


def check(text: str, names: dict[str, Any]) -> None:
    """Raise `NotKernel` for text that reaches out of the language. `names` are those of its module."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            known = {**dict.fromkeys(names_bound_in(function)), **names}
            function.decorator_list = []  # written by the judge
            owners = {id(each.value) for each in ast.walk(function) if isinstance(each, ast.Attribute)}
            for node in ast.walk(function):
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
    elif callable(found) and not _is_word(found):
        yield f"{ast.unparse(node)} is Python's, not the language's"


def _is_word(found: Any) -> bool:
    """Whether a kernel may call this, or hand it on."""
    if isinstance(found, tl.constexpr):
        found = found.value
    if isinstance(found, (JITCallable, KernelInterface)) or not callable(found):
        return True
    return isinstance(found, (type, FunctionType, type(len))) and is_language(found.__module__ or "")


def resolve(node: Any, names: dict[str, Any]) -> Any:
    """What a dotted name stands for as far as it leads through modules; None beyond."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = resolve(node.value, names)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None
