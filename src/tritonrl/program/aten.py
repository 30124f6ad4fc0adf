"""Patterns over exported ATen graphs, written as the Python expressions they stand for.

    aten.max.dim(x, dim, keepdim)[0]
    aten.div.Tensor(x, aten.add.Tensor(aten.abs.default(x), 1))

A bare name binds: a tensor where the operator has a slot of that name, a constant where it has an attribute,
anything where the name is `_`. A literal must be equal. A name that occurs twice must bind the same thing.
Arguments that the pattern does not reach must have their schema defaults.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tritonrl.source import syntax_tree


@dataclass(frozen=True)
class Match:
    """One exported form of an operator."""

    pattern: str
    attrs: Mapping[str, Any] = field(default_factory=dict)
    """Attributes that this form fixes (a negation is a multiplication by -1)."""
    convert: Callable[[dict[str, Any], list[tuple[int, ...] | None]], dict[str, Any] | None] | None = None
    """Turns bound names and operand shapes into attributes, or returns None where the form does not fit."""

    @cached_property
    def tree(self) -> ast.expr:
        return syntax_tree(self.pattern, mode="eval").body

    @cached_property
    def root(self) -> str:
        """The ATen operator at the root: what an index of patterns is keyed by."""
        tree = self.tree.value if isinstance(self.tree, ast.Subscript) else self.tree
        assert isinstance(tree, ast.Call)
        return ast.unparse(tree.func)

    @property
    def size(self) -> int:
        """Number of ATen operators in the pattern; larger patterns are tried first."""
        return self.pattern.count("(")

    def bind(self, node: Any, is_slot: Callable[[str], bool]) -> dict[str, Any] | None:
        """What the names of the pattern stand for at this graph node, or None."""
        bound: dict[str, Any] = {}
        return bound if _match(self.tree, node, is_slot, bound) else None


def is_graph_node(value: Any) -> bool:
    return hasattr(value, "op") and hasattr(value, "users")


def target_name(node: Any) -> str:
    """`aten.add.Tensor` for a call of it; `getitem` for the selection of one output."""
    return "getitem" if getattr(node.target, "__name__", "") == "getitem" else str(node.target)


def full_arguments(node: Any) -> list[Any]:
    """All arguments in schema order, defaults filled in."""
    arguments = []
    for position, argument in enumerate(node.target._schema.arguments):
        if position < len(node.args):
            arguments.append(node.args[position])
        else:
            default = argument.default_value if argument.has_default_value() else None
            arguments.append(node.kwargs.get(argument.name, default))
    return arguments


def _match(tree: ast.expr, value: Any, is_slot: Callable[[str], bool], bound: dict[str, Any]) -> bool:
    if isinstance(tree, ast.Name):
        return _match_name(tree.id, value, is_slot, bound)
    if isinstance(tree, ast.Subscript):
        return (
            _is_call(value, "getitem")
            and _match(tree.slice, value.args[1], is_slot, bound)
            and _match(tree.value, value.args[0], is_slot, bound)
        )
    if isinstance(tree, ast.Call):
        return _match_call(tree, value, is_slot, bound)
    return not is_graph_node(value) and value == ast.literal_eval(tree)


def _is_call(value: Any, target: str) -> bool:
    return is_graph_node(value) and value.op == "call_function" and target_name(value) == target


def _match_name(name: str, value: Any, is_slot: Callable[[str], bool], bound: dict[str, Any]) -> bool:
    if name == "_":
        return True
    if is_slot(name):
        tensors = value if isinstance(value, list | tuple) else [value]
        if not all(each is None or is_graph_node(each) for each in tensors):
            return False
    elif _contains_node(value):
        return False
    if name in bound:
        return bound[name] is value or (not is_graph_node(value) and bound[name] == value)
    bound[name] = value
    return True


def _match_call(tree: ast.Call, value: Any, is_slot: Callable[[str], bool], bound: dict[str, Any]) -> bool:
    if not _is_call(value, ast.unparse(tree.func)):
        return False
    given, wanted = full_arguments(value), tree.args
    schema = value.target._schema.arguments
    for position, argument in enumerate(given):
        if position < len(wanted):
            if not _match(wanted[position], argument, is_slot, bound):
                return False
        elif argument is not None and argument != schema[position].default_value:
            return False
    return True


def _contains_node(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_contains_node(each) for each in value)
    return is_graph_node(value)
