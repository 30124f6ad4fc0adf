"""Files that are there whole, or as they were, whoever is interrupted or writes beside another."""

import os
import threading
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in its place at once; an `OSError` leaves what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    half.write_bytes(data)
    os.replace(half, path)
