"""Python source to a syntax tree, from any number of threads."""

import ast
import threading
from typing import Any

_lock = threading.Lock()


def syntax_tree(text: str, mode: str = "exec") -> Any:
    """As `ast.parse`. One at a time: Python 3.11 counts the depth of all trees in one place, and raises a
    SystemError where two threads build theirs at once."""
    with _lock:
        return ast.parse(text, mode=mode)
