"""Modules whose names a kernel may use: the language, and what it is spoken beside."""

from typing import Any

LANGUAGE = "triton.language"
MODULES = ("triton", "math", LANGUAGE)


def is_language(module: Any) -> bool:
    """Whether this is the name of such a module."""
    return isinstance(module, str) and (module in MODULES or module.startswith(f"{LANGUAGE}."))
