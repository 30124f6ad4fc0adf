"""From source text to entry points, by syntax alone: task code is never imported or executed here.

`read_source` gives the text of a file or a `TaskError`. `find_entry_points` gives the kind, the entry and
the way its constructor is called, or a `TaskError` that names the place. Which kind a text is:

1. `entry` was named (`FILE.py:Name`, KernelBook's `entry_point`): that class, or `fused_operator`;
2. class `Model`: KernelBench's form, or a module file where `get_init_inputs()` is absent and not needed.
   It wins over `fused_operator`, because KernelBench files may have helper functions of any name;
3. `fused_operator`: functional;
4. the one `nn.Module` class that no other class of the text uses.
"""

import ast
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path

from tritonrl.source import syntax_tree
from tritonrl.tasks.outline import Outline, outline, required_parameters
from tritonrl.tasks.task import InitStyle, Kind, TaskError

# Benchmark problems have a few KiB; a MiB is a data file with the wrong name.
MAX_SOURCE_BYTES = 1 << 20

FORMS = (
    "class Model with get_inputs() and get_init_inputs(), an nn.Module class with get_inputs(), "
    "or fused_operator() with get_inputs()"
)


@dataclass(frozen=True)
class EntryPoints:
    """What the verifier will call."""

    kind: Kind
    entry: str
    init_style: InitStyle


@dataclass(frozen=True)
class Origin:
    """Where a text came from, for messages: a file, or a row whose lines have numbers of their own."""

    name: str
    is_file: bool = True

    def error(self, line: int, what: str) -> TaskError:
        if self.is_file:
            return TaskError(f"{self.name}:{line}", what)
        return TaskError(self.name, f"line {line} of its code: {what}")

    def named(self, entry: str) -> str:
        """How a user chooses `entry`."""
        return f"use {self.name}:{entry}" if self.is_file else "leave one"


def read_source(path: Path) -> str:
    """The text of a Python file, with newlines as `\\n`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            what = "is a directory" if path.is_dir() else "is not a regular file"
            raise TaskError(str(path), f"{what}; expected a Python file")
        with path.open("rb") as file:
            data = file.read(MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise TaskError(str(path), f"cannot be read: {error.strerror}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A file cut at the limit may end inside a character: its size is the better reason.
        _check_size(Origin(str(path)), len(data))
        line = data.count(b"\n", 0, error.start) + 1
        raise TaskError(f"{path}:{line}", "not UTF-8 text; save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_entry_points(
    source: str, origin: Origin, *, entry: str | None = None, init_default: InitStyle = "args"
) -> EntryPoints:
    """The entry points of a text; `init_default` is what a `get_init_inputs()` that tells nothing returns."""
    try:
        found = outline(_parse(source, origin))
        name = entry if entry is not None else _choose(found, origin)
        if name == "fused_operator" and name in found.functions:
            _check_get_inputs(found, found.functions[name], origin)
            return EntryPoints("functional", name, "none")
        return _module_entry(found, name, origin, init_default)
    except RecursionError as error:
        raise origin.error(1, "nested too deeply to be read") from error


def _parse(source: str, origin: Origin) -> ast.Module:
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise origin.error(line, "contains a null byte; expected Python text")
    _check_size(origin, len(source.encode("utf-8", errors="replace")))
    try:
        with warnings.catch_warnings():
            # An invalid escape sequence in a reference is its author's affair.
            warnings.simplefilter("ignore")
            return syntax_tree(source)
    except SyntaxError as error:
        raise origin.error(error.lineno or 1, f"not valid Python: {error.msg}") from error
    except (ValueError, MemoryError) as error:
        # ValueError: lone surrogates, from a JSON string. MemoryError: the parser's own limit on nesting.
        reason = (
            "nested too deeply" if isinstance(error, MemoryError) else "contains characters that are not text"
        )
        raise origin.error(1, f"not valid Python: {reason}") from error


def _check_size(origin: Origin, size_bytes: int) -> None:
    if size_bytes > MAX_SOURCE_BYTES:
        raise TaskError(origin.name, f"larger than {MAX_SOURCE_BYTES >> 20} MiB; expected one task")


def _choose(found: Outline, origin: Origin) -> str:
    """The entry of a text whose caller named none."""
    if "Model" in found.classes:
        return "Model"
    if "fused_operator" in found.functions:
        return "fused_operator"
    modules, unused = found.modules(), found.unused_modules()
    if not modules:
        raise origin.error(1, f"no entry points; expected {FORMS}")
    if len(unused) == 1:
        return unused[0]
    names = unused or modules
    line = found.classes[names[0]].lineno
    raise origin.error(
        line, f"several nn.Module classes could be the task: {', '.join(names)}; {origin.named(names[0])}"
    )


def _module_entry(found: Outline, name: str, origin: Origin, init_default: InitStyle) -> EntryPoints:
    if name not in found.classes:
        known = found.modules() + [f for f in ("fused_operator",) if f in found.functions]
        raise origin.error(1, f"no entry {name!r}; it has: {', '.join(known) or 'none'}")
    node = found.classes[name]
    if not found.may_be_module(name):
        raise origin.error(node.lineno, f"class {name} is not an nn.Module; derive it from torch.nn.Module")
    _check_get_inputs(found, node, origin)
    init = found.functions.get("get_init_inputs")
    if init is None:
        if needed := found.required_arguments(name):
            what = f"class {name} needs constructor arguments ({', '.join(needed)})"
            raise origin.error(node.lineno, f"{what}; define get_init_inputs() that returns them")
        return EntryPoints("module", name, "none")
    _check_no_parameters(init, origin)
    return EntryPoints("kernelbench" if name == "Model" else "module", name, _init_style(init, init_default))


def _check_get_inputs(found: Outline, entry: ast.FunctionDef | ast.ClassDef, origin: Origin) -> None:
    if "get_inputs" not in found.functions:
        raise origin.error(
            entry.lineno, f"{entry.name} has no get_inputs(); define it to return the list of inputs"
        )
    _check_no_parameters(found.functions["get_inputs"], origin)


def _check_no_parameters(function: ast.FunctionDef, origin: Origin) -> None:
    if needed := required_parameters(function):
        what = f"{function.name}() needs arguments ({', '.join(needed)})"
        raise origin.error(function.lineno, f"{what}; it is called without any")


def _init_style(function: ast.FunctionDef, default: InitStyle) -> InitStyle:
    """Read off the returned literal: `[[…], {…}]` or any other list."""
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    literals = [value.elts for value in returned if isinstance(value, ast.List | ast.Tuple)]
    if not literals:
        return default
    match literals[-1]:
        case [ast.List() | ast.Tuple(), ast.Dict()]:
            return "args_kwargs"
        case _:
            return "args"
