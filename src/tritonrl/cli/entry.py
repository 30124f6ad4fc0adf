"""What the script `tritonrl` calls.

Results go to stdout, progress and messages to stderr; `--json` prints one document on stdout and nothing else
there. Exit codes: 0 yes, 1 the answer is no, 2 the question was wrong (one line, no traceback), 130
interrupted. Everything heavy is imported inside the command that needs it: `tritonrl --help` loads no torch.
"""

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

import tritonrl
from tritonrl.cli import (
    distil,
    doctor,
    evaluate,
    export,
    library,
    optimize,
    redteam,
    synth,
    tasks,
    train,
    verify,
)
from tritonrl.errors import UserError

COMMANDS: dict[str, Callable[..., None]] = {
    "optimize": optimize.optimize,
    "verify": verify.verify,
    "redteam": redteam.redteam,
    "judge-check": redteam.judge_check,
    "synth": synth.synth,
    "distil": distil.distil,
    "eval": evaluate.evaluate,
    "report": evaluate.report,
    "export": export.export,
    "doctor": doctor.doctor,
}
"""In the order in which `--help` lists them."""

GROUPS: dict[str, tuple[str, dict[str, Callable[..., None]]]] = {
    "tasks": (
        "Look at tasks: what a file, folder, JSONL or data set holds.",
        {"lint": tasks.lint, "list": tasks.list_all, "show": tasks.show},
    ),
    "library": (
        "Kernels that were verified before.",
        {
            "list": library.list_all,
            "show": library.show,
            "export": library.export,
            "import": library.take_in,
        },
    ),
    "train": (
        "Train models by recipes.",
        {"sft": train.sft, "pack": train.pack, "rl": train.rl, "recheck": train.recheck},
    ),
}

UsageError: type[Exception] = typer.BadParameter.__base__ or typer.BadParameter
"""Typer's own errors about flags and commands, reached from a public name: its parser is private."""

INTERRUPTED = 130


def main() -> None:
    """Run the command line; every way out of it is an exit code."""
    try:
        code = _app()(standalone_mode=False)
        if code == INTERRUPTED:  # as newer versions of typer say it
            raise KeyboardInterrupt
        sys.exit(code)
    except UserError as error:
        _complain(str(error), error.exit_code)
    except UsageError as error:
        _complain(error.format_message(), 2)  # pyright: ignore[reportAttributeAccessIssue]
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our stdout is gone: nothing is left to say, and Python must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _complain(message: str, code: int) -> None:
    if message.strip():  # else help was asked for, by naming no command
        sys.stderr.write(f"tritonrl: {' '.join(message.split())}\n")
    sys.exit(code)


def _app() -> typer.Typer:
    app = _group(COMMANDS, pretty_exceptions_enable=False, add_completion=False)
    app.callback()(_common)
    for name, (purpose, commands) in GROUPS.items():
        app.add_typer(_group(commands, help=purpose), name=name)
    return app


def _group(commands: dict[str, Callable[..., None]], **settings: Any) -> typer.Typer:
    group = typer.Typer(no_args_is_help=True, **settings)
    for name, command in commands.items():
        group.command(name)(command)
    return group


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tritonrl {tritonrl.__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Train language models to write Triton GPU kernels, and prove that what they wrote is real."""
