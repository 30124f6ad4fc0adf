"""Kept in files of the user's cache: what was found out once, and does not change from one candidate to the
next."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from tritonrl.files import write_whole

Record = TypeVar("Record", bound=BaseModel)


def kept(what: str, key: str, kind: type[Record], measure: Callable[[], Record]) -> Record:
    """The record that was kept under this key, or a new one that is from now on."""
    path = cache_folder(what) / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
    try:
        return kind.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        made = measure()
    write_whole(path, made.model_dump_json().encode())
    return made


def cache_folder(what: str) -> Path:
    """Where such things are kept unless the user says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tritonrl" / what
