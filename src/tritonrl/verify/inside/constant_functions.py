"""`@triton.constexpr_function`: plain Python that Triton runs while it compiles, and the interpreter while it
interprets.

Such a function travels with the kernels that call it, so it must be no more than a sum over constants: the
same numbers give the same number wherever it runs. Its text is read before it is used, and has no way to
catch an error, keep anything, ask what an object is, or call the language; a guard around it takes and gives
constants only, since the interpreter would hand it tensors as well.
"""

import ast
from collections.abc import Iterator
from types import BuiltinFunctionType, ModuleType
from typing import Any

import triton.language as tl
from triton.runtime.jit import ConstexprFunction

from tritonrl.verify.inside.plain_kernels import PYTHON, NotKernel, names_bound_in, resolve

_CONSTANTS = (bool, int, float, str, type(None))
_BUILTINS = PYTHON - {"print"}
_SYNTAX = (
    ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If,
    ast.IfExp, ast.For, ast.While, ast.Break, ast.Continue, ast.Pass, ast.Assert, ast.Expr, ast.BinOp,
    ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call, ast.keyword, ast.Name, ast.Constant, ast.Attribute,
    ast.Tuple, ast.List, ast.Subscript, ast.Slice, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop,
)  # fmt: skip


class ConstantFunction(ConstexprFunction):
    """What stands for `triton.constexpr_function` in text that the judge has cut out."""

    def __call__(self, *args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            self._check(value, "is given")
        made = super().__call__(*args, _semantic=_semantic, **kwargs)
        self._check(made, "gives")
        return made

    def _check(self, value: Any, verb: str) -> None:
        if not _is_constant(value):
            kind = type(value).__name__
            raise TypeError(f"{self.__name__}, a constexpr_function, {verb} a {kind}, which is no constant")


def _is_constant(value: Any) -> bool:
    if isinstance(value, tl.constexpr):
        return _is_constant(value.value)
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return type(value) in _CONSTANTS or isinstance(value, tl.dtype)


def check(text: str, names: dict[str, Any]) -> None:
    """Raise `NotKernel` for a constexpr_function of the text that is more than a sum over constants. `names`
    are those of its module."""
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef) and isinstance(names[function.name], ConstexprFunction):
            bound = set(names_bound_in(function))
            # The head is the judge's writing.
            nodes = [node for statement in function.body for node in ast.walk(statement)]
            called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
            for node in nodes:
                for complaint in _complaints(node, id(node) in called, names, bound):
                    message = f"{function.name}, a constexpr_function, {complaint}"
                    raise NotKernel(message, getattr(node, "lineno", None))


def _complaints(node: ast.AST, is_called: bool, names: dict[str, Any], bound: set[str]) -> Iterator[str]:
    if not isinstance(node, _SYNTAX):
        yield f"has a {type(node).__name__}, which is more than arithmetic"
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield f"changes {ast.unparse(node)}"
    if isinstance(node, ast.Compare) and not _is_about_values(node):
        yield "asks for identity, in which the compiler and the interpreter differ"
    if isinstance(node, ast.Call) and not _is_arithmetic(node, names, bound):
        yield f"calls {ast.unparse(node.func)}"
    found = resolve(node, names)
    if not is_called and not isinstance(found, ModuleType) and not _is_constant(found):
        yield f"uses {ast.unparse(node)}, which is no constant"


def _is_about_values(node: ast.Compare) -> bool:
    """Of what is asked with `is`, whether it is None alone is the same everywhere."""
    by_identity = [isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops]
    last = node.comparators[-1]
    is_none = isinstance(last, ast.Constant) and last.value is None
    return not any(by_identity) or (is_none and len(by_identity) == 1)


def _is_arithmetic(call: ast.Call, names: dict[str, Any], bound: set[str]) -> bool:
    """Whether it calls another such function, one of `math` or of Python's own, or asks what a dtype is."""
    callee = call.func
    root = callee
    while isinstance(root, ast.Attribute):
        root = root.value
    if (
        isinstance(callee, ast.Attribute)
        and callee.attr.startswith("is_")
        and not (call.args or call.keywords)
    ):
        return True
    if not isinstance(root, ast.Name) or root.id in bound:
        return False
    found = resolve(callee, names)
    if isinstance(found, ConstexprFunction):
        return True
    is_builtin = callee is root and found is None and root.id in _BUILTINS
    is_math = isinstance(found, BuiltinFunctionType) and found.__module__ == "math"
    return is_builtin or is_math
