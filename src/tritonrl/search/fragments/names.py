"""Names of a kernel's file, numbered: two files can then become one."""

import ast
import builtins
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

from tritonrl.errors import UserError
from tritonrl.source import syntax_tree


class SpliceError(UserError):
    """Kernels whose code cannot stand in one file."""


@dataclass(frozen=True)
class Numbered:
    """A file without its imports, in which every name of its own has a number."""

    imports: tuple[str, ...]
    code: str
    entry: str
    """What its entry point is called now."""

    @staticmethod
    def bound_by(line: str) -> dict[str, str]:
        """The names that an import binds, and to what."""
        (node,) = syntax_tree(line).body
        assert isinstance(node, ast.Import | ast.ImportFrom)
        home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        return {
            alias.asname or alias.name.partition(".")[0]: home
            + (alias.name if alias.asname or home else alias.name.partition(".")[0])
            for alias in node.names
        }


def numbered(code: str, entry: str, called: str, number: int) -> Numbered:
    """The file with `name` as `name_1`, its entry point as `called_1`, and its imports apart."""
    tree = syntax_tree(code)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if any(alias.name == "*" for node in imports for alias in node.names):
        raise SpliceError("a kernel's file imports everything of a module")
    symbols = symtable.symtable(code, "kernel.py", "exec").get_symbols()
    own = {each.get_name() for each in symbols if each.is_assigned() or each.is_namespace()}
    own = {name for name in own if not name.startswith("__")}
    own -= {name for node in imports for name in Numbered.bound_by(ast.unparse(node))}
    new = {name: f"{called if name == entry else name}_{number}" for name in own}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if clash := (set(new.values()) & used) | (own & set(dir(builtins))):
        raise SpliceError(f"a kernel's file uses the name {min(clash)!r}")
    text = _replaced(code, [*_uses(tree, new, frozenset())])
    return Numbered(
        tuple(ast.unparse(node) for node in imports), _without(text, imports), new.get(entry, entry)
    )


Place = tuple[int, int, str, str]
"""Line, column in bytes, the old name, the new one."""


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
WORDS = {ast.FunctionDef: "def ", ast.AsyncFunctionDef: "async def ", ast.ClassDef: "class "}


def _uses(node: ast.AST, new: dict[str, str], local: frozenset[str]) -> Iterator[Place]:
    """Where a name of the file itself stands: not an attribute, a keyword, or a local of the same name."""
    if isinstance(node, ast.Global):
        raise SpliceError(f"a kernel's file changes its global {node.names[0]!r}")
    if isinstance(node, ast.Name) and node.id in new and node.id not in local:
        yield node.lineno, node.col_offset, node.id, new[node.id]
    if isinstance(node, Definition) and node.name in new and node.name not in local:
        yield node.lineno, node.col_offset + len(WORDS[type(node)]), node.name, new[node.name]
    outside = _outside(node)
    inside = local | _bound_in(node)
    for child in ast.iter_child_nodes(node):
        yield from _uses(child, new, local if child in outside else inside)


def _outside(node: ast.AST) -> list[ast.AST]:
    """What of a definition is evaluated where it stands."""
    if not isinstance(node, Definition):
        return []
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    return [*node.decorator_list, *filter(None, [node.returns])]


def _bound_in(node: ast.AST) -> set[str]:
    """Names that mean something else inside."""
    if not isinstance(node, Function | Comprehension):
        return set()
    arguments = ast.walk(node.args) if isinstance(node, Function) else ()
    names = {each.arg for each in arguments if isinstance(each, ast.arg)}
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        each = waiting.pop()
        if isinstance(each, Definition):
            names.add(each.name)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            names.add(each.id)
        if not isinstance(each, Definition | Function | Comprehension):
            waiting += ast.iter_child_nodes(each)
    return names


def _replaced(code: str, places: list[Place]) -> str:
    lines = [line.encode() for line in code.splitlines(keepends=True)]
    for row, column, old, new in sorted(set(places), reverse=True):
        line = lines[row - 1]
        if line[column : column + len(old.encode())] != old.encode():
            raise SpliceError(f"a kernel's file defines {old!r} in a way that cannot be numbered")
        lines[row - 1] = line[:column] + new.encode() + line[column + len(old.encode()) :]
    return b"".join(lines).decode()


def _without(code: str, nodes: list[ast.Import | ast.ImportFrom]) -> str:
    gone = {row for node in nodes for row in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = code.splitlines(keepends=True)
    return "".join(line for row, line in enumerate(lines, 1) if row not in gone)
