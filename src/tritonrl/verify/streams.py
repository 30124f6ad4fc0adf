"""Whether a candidate could use a second stream of the GPU.

A process has queues on the device, and work in one queue is done in order, whatever the streams are: whether
one stream waits for another shows only where there are two queues. But a queue is most of what a process
costs there: beside others at work, an H200 makes five processes a second with one queue and four with two.
So a candidate has two, unless its text has no word by which a second stream could be had.
"""

import ast
import re
from collections.abc import Iterator

from tritonrl.verify.static import parsed

IMPORTED = {"__future__", "math", "torch", "triton", "typing"}
"""Modules that lead nowhere else but by names."""
USUAL = {"__init__", "__name__", "__future__"}
TELLING = re.compile(
    r"stream|graph|attr|eval|exec|compile|vars|globals|locals|modules|import|pickle|marshal|ctypes|^__", re.I
)
"""Streams, graphs, and the ways to reach what is not named."""


def may_use_streams(code: str) -> bool:
    """False only where it cannot."""
    return any(word not in USUAL and TELLING.search(word) for word in _words(code))


def _words(code: str) -> Iterator[str]:
    """All names in a text; a module that is not of the usual ones counts as an import by name."""
    for node in ast.walk(parsed(code)):
        if isinstance(node, ast.Constant):
            continue
        for _, value in ast.iter_fields(node):
            for word in value if isinstance(value, list) else [value]:
                if isinstance(word, str):
                    yield from word.split(".")
        modules = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(module.partition(".")[0] not in IMPORTED for module in modules):
            yield "import"
