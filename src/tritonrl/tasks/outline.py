"""The outline of a Python text: its top-level functions and classes, and which of those are `nn.Module`s.

Read from the syntax tree alone; nothing is imported or executed, so what a name means is followed only
through the text's own imports and definitions. Definitions inside top-level `if`, `try` and `with` count,
as they do when Python imports the file; those under `if __name__ == …` do not. Of several definitions of a
name the last counts.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

# Classes under `torch.nn` that one may derive from and that are no modules; the others there are.
_TENSORS = {"Parameter", "UninitializedParameter", "Buffer", "UninitializedBuffer"}
# Imports that hold no other modules than those known as such.
_KNOWN = ("abc.", "collections.", "dataclasses.", "enum.", "torch.nn.", "typing.", "typing_extensions.")


@dataclass(frozen=True)
class Outline:
    """What a text defines at its top level."""

    functions: dict[str, ast.FunctionDef]
    classes: dict[str, ast.ClassDef]
    imports: dict[str, str]
    """Local name to the dotted name that it stands for: `N` to `torch.nn` after `import torch.nn as N`."""

    def modules(self) -> list[str]:
        """Names of the classes that are certainly `nn.Module`s, in the order of the text."""
        return [name for name in self.classes if self._is_module(name, frozenset())]

    def may_be_module(self, name: str) -> bool:
        """True also for a class with an imported base that this text says nothing about."""
        return self._is_module(name, frozenset()) or any(
            self._is_foreign(base) for _, base in self._lineage(name)
        )

    def required_arguments(self, name: str) -> list[str]:
        """Constructor arguments without default, as far as this text shows the constructor."""
        for owner in dict.fromkeys(owner for owner, _ in self._lineage(name)):
            for node in self.classes[owner].body:
                if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                    return required_parameters(node)[1:]
        return []

    def unused_modules(self) -> list[str]:
        """The modules that no other class of the text refers to, directly or through its functions."""
        mentions = {
            name: {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}
            for name, definition in (*self.functions.items(), *self.classes.items())
        }
        used: set[str] = set()
        for name in self.classes:
            used |= self._reachable(name, mentions) - {name}
        return [name for name in self.modules() if name not in used]

    def _is_module(self, name: str, seen: frozenset[str]) -> bool:
        bases = [dotted_name(base) for base in self.classes[name].bases] if name not in seen else []
        return any(
            self._is_module(base, seen | {name})
            if base in self.classes
            else _is_module_name(self._resolve(base))
            for base in bases
        )

    def _is_foreign(self, base: str) -> bool:
        imported = base.partition(".")[0] in self.imports or "*" in self.imports
        return imported and base not in self.classes and not self._resolve(base).startswith(_KNOWN)

    def _lineage(self, name: str) -> Iterator[tuple[str, str]]:
        """(class, one of its bases) for the class and its ancestors in this text, nearest first."""
        queue, seen = [name], set()
        while queue:
            owner = queue.pop(0)
            if owner in self.classes and owner not in seen:
                seen.add(owner)
                bases = [dotted_name(base) for base in self.classes[owner].bases]
                yield from ((owner, base) for base in bases or [""])
                queue.extend(bases)

    def _resolve(self, dotted: str) -> str:
        head, _, tail = dotted.partition(".")
        return ".".join(filter(None, (self.imports.get(head, head), tail)))

    def _reachable(self, name: str, mentions: dict[str, set[str]]) -> set[str]:
        reached = set(mentions[name])
        queue = [name for name in reached if name in self.functions]
        while queue:
            new = mentions[queue.pop()] - reached
            reached |= new
            queue.extend(name for name in new if name in self.functions)
        return reached


def outline(tree: ast.Module) -> Outline:
    """The outline of a parsed text."""
    found = Outline({}, {}, {})
    for node in _top_level(tree.body):
        if isinstance(node, ast.FunctionDef):
            found.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found.classes[node.name] = node
        elif isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                found.imports[alias.asname or target] = target
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found.imports[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
    return found


def required_parameters(function: ast.FunctionDef) -> list[str]:
    """Names of the parameters that a call must give."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    count = len(positional) - len(arguments.defaults)
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [p.arg for p in positional[:count]] + [p.arg for p, default in keyword if default is None]


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` for such an expression (`a.b` for `a.b[T]`), and "" for any other."""
    if isinstance(node, ast.Subscript):
        return dotted_name(node.value)
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


def _is_module_name(dotted: str) -> bool:
    """`torch.nn.Linear` is a module as well; so is `Module` of an import that cannot be followed."""
    last = dotted.rpartition(".")[2]
    return last in ("Module", "ScriptModule") or (dotted.startswith("torch.nn.") and last not in _TENSORS)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _top_level([] if _asks_for_main(node) else node.body)
            yield from _top_level(node.orelse)
        elif isinstance(node, ast.With):
            yield from _top_level(node.body)
        elif isinstance(node, ast.Try | ast.TryStar):
            for part in (
                node.body,
                *(handler.body for handler in node.handlers),
                node.orelse,
                node.finalbody,
            ):
                yield from _top_level(part)


def _asks_for_main(node: ast.If) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))
