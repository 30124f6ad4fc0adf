"""Syntax trees: whoever makes one in our own processes makes it where threads take turns."""

from pathlib import Path

import tritonrl

PACKAGE = Path(tritonrl.__file__).parent
ALONE = ("source.py", "verify/inside/", "redteam/cases/")
"""Where turns are taken, and what runs in processes of one thread."""


def test_nobody_parses_beside_the_lock():
    files = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    own = {name: path for name, path in files.items() if not name.startswith(ALONE)}
    assert len(own) > 100
    assert [name for name, path in own.items() if "ast.parse(" in path.read_text()] == []
