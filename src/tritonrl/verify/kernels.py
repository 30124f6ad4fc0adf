"""The kernels of a candidate without the candidate: text to compile, cut out of its source by the judge.

A recorded kernel names a line of the candidate's file and the values of the outer names that it uses. From
both the judge writes a file that holds `@triton.jit` functions and constants and nothing that runs by itself:
host code, other decorators, defaults and annotations that compute are left behind. A name that stands for
plain Python has no place in it, and the compiler then says so: such a kernel can only be interpreted. Of
`@triton.constexpr_function` comes along what is a sum over constants (`inside.constant_functions`).
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from tritonrl.source import syntax_tree
from tritonrl.verify.language import is_language
from tritonrl.verify.log import Kernel, Launch
from tritonrl.verify.specialisation import functions_given, specialise, text_of

_INSIDE = "__import__('importlib').import_module('tritonrl.verify.inside.{}').{}"
CONSTANT_FUNCTION = "@" + _INSIDE.format("constant_functions", "ConstantFunction")
WORD = _INSIDE.format("plain_kernels", "word")
OF_TORCH = _INSIDE.format("encoding", "constant_of_torch")


class Specialisation(BaseModel):
    """A kernel as it is compiled for one or more launches; see `verify.specialisation`."""

    model_config = ConfigDict(frozen=True)

    kernel: str
    arguments: dict[str, list[Any]]
    options: dict[str, list[Any]]
    tuned: bool = False

    @classmethod
    def of(cls, launch: Launch) -> "Specialisation":
        return cls(**specialise(launch.model_dump()), tuned=launch.tuned)

    @property
    def text(self) -> str:
        return text_of(self.model_dump(exclude={"tuned"}))


def short_name(key: str) -> str:
    """The name of a kernel, of its key."""
    return key.partition("@")[0].rpartition(":")[2]


class NotInFile(Exception):
    """A recorded kernel that the candidate's text does not hold."""


def cut_out(code: str, kernels: Mapping[str, Kernel], launch: Launch | Specialisation) -> str:
    """The file of a launch; `NotInFile` where the candidate's text has none."""
    try:
        return kernel_file(code, kernels, launch.kernel, functions_given(launch.model_dump()))
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError, SyntaxError) as error:
        raise NotInFile(str(error)) from error


def kernel_file(code: str, kernels: Mapping[str, Kernel], launched: str, given: Sequence[str] = ()) -> str:
    """A file with the launched kernel, functions given to it, and everything that they call, each on its own
    lines: complaints point right."""
    functions = {
        (node.name, _first_line(node)): node
        for node in ast.walk(syntax_tree(code))
        if isinstance(node, ast.FunctionDef)
    }
    # As Python counts them: `splitlines` knows more ends of a line, such as a form feed within a string.
    source = re.split(r"\r\n|\r|\n", code)
    lines = [""] * len(source)
    written: dict[int, ast.FunctionDef] = {}
    bound: dict[str, str] = {}
    aliases: dict[str, str] = {}
    waiting, seen = [launched, *given], set()
    while waiting:
        key = waiting.pop()
        if key in seen:
            continue
        seen.add(key)
        if key not in kernels:
            raise NotInFile(f"{key} is not a function of the candidate")
        name, line = kernels[key].name, kernels[key].line
        if (name, line) not in functions:
            raise NotInFile(f"no function {name!r} at line {line}")
        node = functions[name, line]
        _bind(aliases, name, name)
        used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        for outer, value in kernels[key].scope.items():
            if value[0] == "function" and ":" not in value[1]:
                waiting.append(value[1])
                if outer in used and value[1] in kernels:
                    _bind(aliases, outer, kernels[value[1]].name)
            elif outer in used and (text := _literal(value)) is not None:
                _bind(bound, outer, text)
        _write(node, kernels[key], source, lines)
        written[node.lineno] = node
    _check_lines(lines, [node for _, node in sorted(written.items())])
    head = ["import triton, math, triton.language, triton.language as tl"]
    # Line 1 is free: whatever is decorated with `triton.jit` stands below an import.
    lines[0] = "; ".join([*head, *(f"{outer} = {text}" for outer, text in bound.items())])
    renamed = [f"{outer} = {name}" for outer, name in aliases.items() if outer != name]
    return "\n".join([*lines, *renamed, ""])


def _check_lines(lines: Sequence[str], written: Sequence[ast.FunctionDef]) -> None:
    """The lines must hold these functions and nothing else. A string that begins in a head (that is left out)
    could end on a line that is not: then other strings begin and end, and what they held is code."""
    found = syntax_tree("\n".join(lines)).body
    if [_meaning(each) for each in found] != [_meaning(each) for each in written]:
        raise NotInFile("its functions mean something else without their heads")


def _meaning(node: ast.AST) -> str:
    """The body of a function, without the blanks that lines of a string begin with."""
    body = [ast.dump(each) for each in node.body] if isinstance(node, ast.FunctionDef) else ["no function"]
    return re.sub(r"\\n(?: |\\t)*", r"\\n", "\n".join(body))


def _bind(names: dict[str, str], outer: str, text: str) -> None:
    if names.setdefault(outer, text) != text:
        raise NotInFile(f"{outer!r} means {names[outer]} in one of its functions and {text} in another")


def _first_line(node: ast.FunctionDef) -> int:
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


def _write(node: ast.FunctionDef, kernel: Kernel, source: list[str], lines: list[str]) -> None:
    """The function at the top level under one decorator, its body as it is, its head without what
    computes."""
    body = node.body[0].lineno
    if body == node.lineno or node.lineno < 3 or node.end_lineno is None:
        raise NotInFile(f"{node.name!r} is written on one line, or before the imports")
    lines[node.lineno - 2] = CONSTANT_FUNCTION if kernel.is_constexpr else f"@triton.jit{_jit_options(node)}"
    lines[node.lineno - 1] = f"def {node.name}({ast.unparse(_plain_arguments(node.args, kernel.defaults))}):"
    for number in range(body - 1, node.end_lineno):
        blank = len(source[number]) - len(source[number].lstrip())
        lines[number] = source[number][min(node.col_offset, blank) :]


def _plain_arguments(arguments: ast.arguments, defaults: Mapping[str, list[Any]]) -> ast.arguments:
    """Names, `tl.constexpr`, and defaults as recorded; a launch names every argument, defaults included."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument in (*positional, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None:
            text = ast.unparse(argument.annotation) if argument.annotation else ""
            argument.annotation = (
                syntax_tree("tl.constexpr", mode="eval").body if "constexpr" in text else None
            )
    arguments.defaults = []
    for argument in reversed(positional):
        if (default := _default(defaults.get(argument.arg))) is None:
            break
        arguments.defaults.insert(0, default)
    arguments.kw_defaults = [_default(defaults.get(each.arg)) for each in arguments.kwonlyargs]
    return arguments


def _default(value: list[Any] | None) -> ast.expr | None:
    """None also for what the compiler, which reads a head, cannot look up."""
    text = None if value is None else _literal(value)
    return None if text is None or WORD in text else syntax_tree(text, mode="eval").body


def _jit_options(node: ast.FunctionDef) -> str:
    """The arguments of `@triton.jit(...)` that are literals."""
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    jit = [each for each in calls if ast.unparse(each.func).rpartition(".")[2] == "jit"]
    words = [word for call in jit for word in call.keywords if word.arg and _is_literal(word.value)]
    return f"({', '.join(f'{word.arg}={ast.unparse(word.value)}' for word in words)})" if words else ""


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _literal(value: Any) -> str | None:
    """A recorded value as source; None where it has no place in a kernel."""
    kind, *rest = value
    if kind == "function":  # of a library
        kind, rest = "attribute", rest[0].split(":", 1)
    if kind == "value" and (rest[0] is None or type(rest[0]) in (bool, int, str, float)):
        return repr(rest[0])
    if kind == "float" and rest[0] in ("inf", "-inf", "nan"):
        return f'float("{rest[0]}")'
    if kind == "constexpr":
        inner = _literal(rest[0])
        return None if inner is None else f"tl.constexpr({inner})"
    if kind in ("tuple", "list"):
        items = [_literal(each) for each in rest[0]]
        return None if None in items else f"({', '.join(map(str, items))},)"
    if kind in ("dtype", "torch") and str(rest[0]).isidentifier():
        return f'tl.dtype("{rest[0]}")' if kind == "dtype" else f"{OF_TORCH}({rest[0]!r})"
    if kind == "module" and is_language(rest[0]):
        return f"__import__('importlib').import_module({rest[0]!r})"
    if kind == "attribute" and is_language(rest[0]) and str(rest[1]).isidentifier():
        return f"{WORD}({rest[0]!r}, {rest[1]!r})"
    return None
