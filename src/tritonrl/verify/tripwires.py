"""Tripwires: what an honest kernel's file never does (rejected early), or has no need of (a warning: an
unused import harms nobody, and behaviour decides).

They read the text only, so they explain well and prove nothing; no guarantee rests on them. One is a row of a
table: the rule, the names that trip it, and a sentence.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonrl.verify.static import parsed
from tritonrl.verify.verdict import Finding, Severity

LAYER = "lint"


@dataclass(frozen=True)
class Tripwire:
    """Names that say something about a candidate."""

    rule: str
    severity: Severity
    names: frozenset[str]
    message: str
    """With a place for the name."""


def _row(rule: str, severity: Severity, names: str, message: str) -> Tripwire:
    return Tripwire(rule, severity, frozenset(names.split()), message)


IMPORTS = (
    _row(
        "A10", "warning", "subprocess pip urllib requests socket http ftplib multiprocessing",
        "imports {!r}: a kernel needs no programs, downloads or network",
    ),
    _row("A12", "warning", "ctypes cffi", "imports {!r}: raw memory is out of PyTorch's and Triton's sight"),
    _row("A8", "warning", "torch.utils.cpp_extension", "imports {!r}: the work belongs into Triton"),
    _row("D2", "warning", "threading.Thread threading.Timer concurrent _thread asyncio",
         "imports {!r}: what a thread does later or elsewhere is not counted"),
    _row("B7", "warning", "gc", "imports {!r}: there is nothing to be found among other objects"),
)  # fmt: skip
"""By the module that is imported, or one above it."""

CALLS = (
    _row("F1", "warning", "sys._getframe inspect.stack inspect.currentframe traceback.extract_stack",
         "calls {}: who calls it is no business of a kernel's"),
    _row("D7", "warning", "os._exit sys.exit os.abort os.kill os.fork", "calls {}: leaving is no answer"),
    _row("A8", "warning", "torch.compile torch.jit.script torch.jit.trace",
         "calls {}: another compiler's work does not count as Triton's"),
    _row("D2", "warning", "threading.Thread threading.Timer",
         "calls {}: what a thread does later or elsewhere is not counted"),
    _row("E11", "warning", "torch.manual_seed torch.seed random.seed",
         "calls {}: no input is drawn from a generator that it can reach"),
)  # fmt: skip
"""By the dotted name that is called."""

PATCHED = ("torch", "triton", "tl", "time", "numpy", "np", "builtins", "sys", "InterpretedFunction")
"""Modules and classes whose attributes are not a candidate's to set."""
HARMLESS = ("torch.backends", "triton.knobs", "torch._dynamo.config", "sys.path")
DECODERS = {"b64decode", "b85decode", "decompress", "unhexlify", "fromhex", "decode"}


def lint(code: str) -> Iterator[Finding]:
    """Everything that a tripwire has to say about a file that is valid Python."""
    tree = parsed(code)
    yield from _unused_kernel(tree)
    for node in _imported_part(tree):
        for rule, severity, message in _trips(node):
            line = getattr(node, "lineno", None)
            yield Finding(layer=LAYER, rule=rule, message=message, line=line, severity=severity)
    yield from _inherited_reference(tree)


def _imported_part(tree: ast.Module) -> Iterator[ast.AST]:
    """All of a file but what runs under `if __name__ == "__main__":`, which nobody does."""
    for statement in tree.body:
        if isinstance(statement, ast.If) and _is_main_guard(statement.test):
            for each in statement.orelse:
                yield from ast.walk(each)
        else:
            yield from ast.walk(statement)


def _is_main_guard(test: ast.expr) -> bool:
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")


def _trips(node: ast.AST) -> Iterator[tuple[str, Severity, str]]:
    for wire in IMPORTS:
        for name in _imported(node):
            if any(name == each or name.startswith(f"{each}.") for each in wire.names):
                yield wire.rule, wire.severity, wire.message.format(name)
                break
    if isinstance(node, ast.Call):
        name = _dotted(node.func)
        for wire in CALLS:
            if name in wire.names:
                yield wire.rule, wire.severity, wire.message.format(name)
        if name in ("exec", "eval") and any(_decodes(argument) for argument in node.args):
            yield "F5", "reject", f"{name}s text that is decoded first: a kernel has nothing to hide"
    for target in _assigned(node):
        name = _dotted(target)
        root, _, rest = name.partition(".")
        if rest and root in PATCHED and not name.startswith(HARMLESS):
            yield "D4", "warning", f"replaces {name}: nothing that judges it runs in its process"


def _unused_kernel(tree: ast.Module) -> Iterator[Finding]:
    kernels = {
        node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_kernel(node)
    }
    read = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    read |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    read |= {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    indirect = any(len(node.decorator_list) > 1 for node in kernels.values()) or bool(read & REACH_BY_TEXT)
    if kernels and not indirect and not any(name in read for name in kernels):
        name, node = next(iter(kernels.items()))
        message = f"kernel {name!r} is defined and never used: the work is done elsewhere"
        yield Finding(layer=LAYER, rule="A2", message=message, line=node.lineno)


REACH_BY_TEXT = {"globals", "locals", "vars", "getattr", "eval", "exec", "modules"}
"""Ways to a function that do not name it."""


def _inherited_reference(tree: ast.Module) -> Iterator[Finding]:
    """`class ModelNew(Model)` where `Model` is pasted: its own forward may still do the work."""
    for node in ast.walk(tree):
        bases = [_dotted(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []
        if isinstance(node, ast.ClassDef) and node.name == "ModelNew" and "Model" in bases:
            message = "ModelNew inherits from Model: what it does not override is the reference itself"
            yield Finding(layer=LAYER, rule="A7", message=message, line=node.lineno, severity="warning")


def _is_kernel(node: ast.FunctionDef) -> bool:
    names = [_dotted(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]
    return any(name.rpartition(".")[2] == "jit" for name in names)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _assigned(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return [each for each in node.targets if isinstance(each, ast.Attribute)]
    return []


def _decodes(node: ast.AST) -> bool:
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    return any(_dotted(call.func).rpartition(".")[2] in DECODERS for call in calls)


def _dotted(node: ast.AST) -> str:
    """`a.b.c` as text; the last name alone where what it belongs to is computed."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return f"{owner}.{node.attr}" if owner else node.attr
    return ""
