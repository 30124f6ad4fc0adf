"""The command line as tests run it: in this process, or in one of its own.

    done = run("verify", task, kernel, "--json")
    assert (done.returncode, done.stderr) == (0, "")

In this process it takes no interpreter and no zygotes of its own, which cost nine seconds of a core. What is
about a process (signals, what is imported, the environment that others see) needs `run_process`: every
command that takes long is interrupted in one.
"""

import contextlib
import io
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import pytest

TRITONRL = str(Path(sys.executable).with_name("tritonrl"))
SECONDS = 300

Done = subprocess.CompletedProcess[str]

shared: dict[str, Callable[[], object]] = {}
"""How to get the zygotes of all tests, from conftest.py. They start when a command first needs them."""


def run_process(*arguments: object, **how: object) -> Done:
    """As a user does."""
    command = [TRITONRL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, **how)  # type: ignore


def run(
    *arguments: object, text: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Done:
    """The same, in this process. A traceback, which a user would see, is the test's own."""
    from tritonrl import cli

    command = [TRITONRL, *map(str, arguments)]
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8") for name in ("stdin", "stdout", "stderr")}
    streams["stdin"].buffer.write(text.encode())
    streams["stdin"].buffer.seek(0)
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        _share_zygotes(patch)
        patch.setattr(sys, "argv", command)
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        _log_to_stderr(patch)
        if env is not None:
            stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
        stack.enter_context(contextlib.chdir(cwd or Path.cwd()))
        left = stack.enter_context(pytest.raises(SystemExit))
        cli.main()
    out, err = (_written(streams[name]) for name in ("stdout", "stderr"))
    return Done(command, int(left.value.code or 0), out, err)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def _log_to_stderr(patch: pytest.MonkeyPatch) -> None:
    """Else pytest keeps what is logged, and libraries log to the stderr that they found when imported."""
    patch.setattr(logging.root, "handlers", [])
    for logger in logging.root.manager.loggerDict.values():
        for handler in getattr(logger, "handlers", ()):
            if type(handler) is logging.StreamHandler:
                patch.setattr(handler, "stream", sys.stderr)


def _share_zygotes(patch: pytest.MonkeyPatch) -> None:
    """Whoever makes zygotes of its own gets those of all tests, and does not end them."""
    from tritonrl import verify
    from tritonrl.search import optimize
    from tritonrl.verify import zygotes
    from tritonrl.verify.oracle import many

    for module in (verify, optimize, many, zygotes):
        patch.setattr(module, "Zygotes", _Shared)


class _Shared:
    """A class, as modules that are first imported meanwhile have it in their annotations."""

    def __enter__(self) -> object:
        return shared["zygotes"]()

    def __exit__(self, *_: object) -> None:
        pass
