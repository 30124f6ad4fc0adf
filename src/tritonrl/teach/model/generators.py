"""Generators: a block of Python with `get_inputs()`, put in the place of a task's own.

Read here, and never run: what is more than a generator is refused, so that a variant differs from its task in
its inputs alone. The sandbox is what holds a hostile one.
"""

import ast

from tritonrl.source import syntax_tree
from tritonrl.tasks import Task, TaskError
from tritonrl.tasks.outline import Outline, outline
from tritonrl.tasks.parse import Origin, find_entry_points

MODULES = ("torch", "math", "random", "numpy")
BUILTINS = frozenset({
    "None", "True", "False", "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "int",
    "len", "list", "map", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "sorted", "str",
    "sum", "tuple", "zip",
})  # fmt: skip
FORBIDDEN = frozenset({
    "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "locals", "open", "setattr",
    "vars",
})  # fmt: skip
"""Not even as names of its own: who binds one in a corner could use the real one elsewhere."""
LARGEST_CHARS = 2**14


def variant(task: Task, text: str, number: int) -> Task:
    """The task with this generator; a `TaskError` where the text is none."""
    name = f"{task.id}@{number}"
    block, source = _tree(name, text), syntax_tree(task.source)
    made, own = outline(block), outline(source)
    if what := _refusal(task, block, made) or _misused_name(source, block, made, own):
        raise TaskError(name, what)
    parts = [
        ast.get_source_segment(text, node) or ""
        for node in block.body
        if isinstance(node, ast.FunctionDef) or _imports(node).items() - own.imports.items()
    ]
    written = "\n\n\n".join([_without(task.source, source, made.functions), *parts]) + "\n"
    found = find_entry_points(
        written, Origin(name, is_file=False), entry=task.entry, init_default=task.init_style
    )
    update = {"id": name, "source": written, "init_style": found.init_style, "program": None, "path": None}
    return task.model_copy(update=update)


def _tree(name: str, text: str) -> ast.Module:
    try:
        if len(text) > LARGEST_CHARS:
            raise ValueError
        return syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(name, "the generator is no Python, or too much of it") from error


def _refusal(task: Task, block: ast.Module, made: Outline) -> str | None:
    """What a generator has that it must not have."""
    wanted = {"get_inputs"} | ({"get_init_inputs"} if task.init_style != "none" else set())
    if "get_inputs" not in made.functions:
        return "the generator has no get_inputs()"
    for node in block.body:
        if not isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom):
            return f"line {node.lineno} of the generator is neither import nor function"
        if isinstance(node, ast.FunctionDef) and (node.name not in wanted or node.decorator_list):
            return f"the generator defines {node.name}, of all it may define {', '.join(sorted(wanted))}"
    for node in ast.walk(block):
        if isinstance(node, ast.Global | ast.Nonlocal | ast.ClassDef):
            return f"line {node.lineno} of the generator reaches beyond it"
        if isinstance(node, ast.Attribute) and (
            node.attr.startswith("_") or not isinstance(node.ctx, ast.Load)
        ):
            return f"line {node.lineno} of the generator touches {node.attr}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
            if any(each.partition(".")[0] not in MODULES for each in names):
                return f"the generator imports {names[0]}, not one of {', '.join(MODULES)}"
    return None


def _misused_name(source: ast.Module, block: ast.Module, made: Outline, own: Outline) -> str | None:
    """A name that means something else in the task, or nothing that is known."""
    theirs = _bound(source)
    for name, target in made.imports.items():
        if name == "*" or (name in theirs and own.imports.get(name) != target):
            return f"the generator imports {target} under a name that the task has"
    known = (theirs | _bound(block) | BUILTINS) - FORBIDDEN
    read = (node.id for node in ast.walk(block) if isinstance(node, ast.Name))
    unknown = next((name for name in read if name not in known or name.startswith("__")), None)
    return unknown and f"the generator uses {unknown}, which it may not"


def _bound(tree: ast.Module) -> set[str]:
    """All names that a text gives a meaning."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


def _imports(node: ast.stmt) -> dict[str, str]:
    return outline(ast.Module([node], [])).imports


def _without(text: str, tree: ast.Module, names: dict[str, ast.FunctionDef]) -> str:
    """A text without its functions of these names."""
    lines = text.split("\n")
    for node in reversed(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            del lines[first - 1 : node.end_lineno]
            while lines[first - 1 : first] == [""]:
                del lines[first - 1]
    return "\n".join(lines).strip()
