"""Opens a data set with the `datasets` library: a local path, or a name on the hub.

A local path is a folder of `save_to_disk`, a folder of parquet or JSON files, or one such file; it is
streamed, so that nothing is copied into the library's cache. A hub name is looked up with one short request
first: the library itself retries for 23 s before it says that there is no network. Without one, a copy in
the hub's cache is used.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tritonrl.errors import UserError
from tritonrl.tasks.task import TaskError

Splits = dict[str, Iterable[dict[str, Any]]]

# Enough for a slow line; a hub that takes longer to answer one HEAD-sized question is no use for a data set.
HUB_TIMEOUT_S = 5.0

_BUILDERS = {".parquet": "parquet", ".json": "json", ".jsonl": "json"}


def open_splits(name: str) -> Splits:
    """Split name to rows; opening and reading them raise `UserError` alone."""
    try:
        import datasets
    except ImportError as error:
        message = "data sets need the datasets library: pip install 'tritonrl[train]'"
        raise UserError(message) from error
    with _blame(name):
        opened = _open(os.path.expanduser(name))
    # A folder of save_to_disk may hold one data set without splits.
    splits: dict[str, Any] = {"train": opened} if isinstance(opened, datasets.Dataset) else dict(opened)
    return {split: _read(name, rows) for split, rows in splits.items()}


def _read(name: str, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    with _blame(name):
        yield from rows


@contextmanager
def _blame(name: str) -> Iterator[None]:
    """Turn what the library raises about the data, by type, into one line."""
    from datasets.exceptions import DatasetsError

    try:
        yield
    except (DatasetsError, OSError, ValueError, LookupError, RuntimeError) as error:
        # OSError: missing files, broken connections. ValueError: content, as pyarrow sees it. LookupError: a
        # saved folder with parts missing. RuntimeError: a data set that is a script.
        reason = next(iter(str(error).splitlines()), "")
        raise TaskError(f"hf:{name}", f"cannot be loaded: {type(error).__name__}: {reason}") from error


def _open(name: str) -> Any:
    if os.path.exists(name):
        return _open_local(Path(name))
    if _is_path(name):
        raise TaskError(f"hf:{name}", "no such file or folder")
    return _open_hub(name)


def _is_path(name: str) -> bool:
    """Hub names are `name` or `owner/name`."""
    return name.startswith((".", "/")) or name.count("/") > 1 or Path(name).suffix in _BUILDERS


def _open_local(path: Path) -> Any:
    import datasets

    if path.is_dir():
        if any((path / mark).is_file() for mark in ("dataset_info.json", "dataset_dict.json")):
            return datasets.load_from_disk(str(path))
        return datasets.load_dataset(str(path), streaming=True)
    if path.suffix not in _BUILDERS:
        raise TaskError(f"hf:{path}", f"not a data file; expected one of: {', '.join(_BUILDERS)}")
    if path.stat().st_size == 0:
        raise TaskError(f"hf:{path}", "is empty")
    return datasets.load_dataset(_BUILDERS[path.suffix], data_files=str(path), streaming=True)


def _open_hub(name: str) -> Any:
    import datasets
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, RepositoryNotFoundError

    where = f"hf:{name}"
    try:
        HfApi().dataset_info(name, timeout=HUB_TIMEOUT_S)
    except HFValidationError as error:
        raise TaskError(where, "no such file or folder, and not a hub name, owner/name") from error
    except RepositoryNotFoundError as error:
        raise TaskError(
            where, "no such file or folder, and no data set on the hub that is open to you"
        ) from error
    except _network_errors() as error:
        try:
            cached = snapshot_download(name, repo_type="dataset", local_files_only=True)
        except LocalEntryNotFoundError:
            what = "the hub cannot be reached and its cache here has no copy; give a local path instead"
            raise TaskError(where, what) from error
        return datasets.load_dataset(cached, streaming=True)
    return datasets.load_dataset(name)


def _network_errors() -> tuple[type[Exception], ...]:
    """What the hub's client raises without a network: its HTTP library changed over the years."""
    clients = [sys.modules[client] for client in ("httpx2", "httpx") if client in sys.modules]
    return (OSError, *(client.TransportError for client in clients))
