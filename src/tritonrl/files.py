"""Files and folders that are there whole, or as they were, whoever is interrupted or writes beside them."""

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from tritonrl.errors import UserError


def check_place(path: Path) -> None:
    """Say that a file cannot be written there: before the work for it, and not after."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a file")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in its place at once; an `OSError` leaves what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    half.write_bytes(data)
    os.replace(half, path)


def refuse_what_is_there(path: Path) -> None:
    """Say so where a folder is to be filled and something lies there already."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UserError(f"{path}: there is something already; name a new or an empty folder")


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes its name when it is filled. Nothing may lie there but an empty folder."""
    path = path.absolute()
    half = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        refuse_what_is_there(path)
        half.mkdir(parents=True)
        try:
            yield half
            os.replace(half, path)
        finally:
            shutil.rmtree(half, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
