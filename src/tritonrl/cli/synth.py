"""`tritonrl synth`."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tritonrl import jsonl
from tritonrl.cli.options import Json
from tritonrl.errors import UserError


def synth(
    level: Annotated[
        int, typer.Option(help="Number of compute operators in a program (usual: 1 2 3 5 10 20).")
    ],
    count: Annotated[int, typer.Option(min=0, help="Number of distinct programs.")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="JSONL file to write; without it the rows go to stdout.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="Sizes: cpu (milliseconds) or gpu (more than launch overhead).")
    ] = "cpu",
    ops: Annotated[str, typer.Option(help="Draw from these operators only, separated by commas.")] = "",
    views: Annotated[float, typer.Option(help="Share of operands that are read through a view.")] = 0.0,
    dtype: Annotated[
        str, typer.Option(help="Element type of a program: float32, float16 or bfloat16.")
    ] = "float32",
    workers: Annotated[
        int, typer.Option(min=0, help="Processes; 0 chooses. The output does not depend on it.")
    ] = 0,
    resume: Annotated[bool, typer.Option(help="Complete a file that an interrupted run left.")] = False,
    lint: Annotated[
        bool, typer.Option("--lint", help="Keep only tasks whose exam rejects wrong programs.")
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            help="Print operator uniformity and pair coverage (without --out, instead of the rows)."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Write random PyTorch programs: a DAG of operators, its shapes solved with CP-SAT."""
    from tritonrl import render
    from tritonrl.program import COMPUTE
    from tritonrl.synth import Config, rows, write
    from tritonrl.synth.pool import workers_for
    from tritonrl.synth.report import Tally

    chosen = tuple(name.strip() for name in ops.split(",") if name.strip()) if ops else COMPUTE
    config = Config(level, seed, profile, chosen, views, dtype)
    workers = workers or workers_for(count)
    if resume and out is None:
        raise UserError("--resume needs the --out file to complete")
    started, tally, printed, resumed = time.perf_counter(), Tally(config.ops), [], 0
    with render.progress("programs", count) as progress, _keeping(lint) as keep:
        if out is not None:
            resumed = write(config, count, out, workers, resume, progress, keep)
        else:
            for number, row in enumerate(rows(config, count, workers, keep=keep), start=1):
                tally.add(row["program"])
                if json and not report:
                    printed.append(row)
                elif not report:
                    typer.echo(jsonl.dumps(row))
                progress(number)
    seconds = time.perf_counter() - started
    if report and out is not None:
        for _, row in jsonl.read(out):
            tally.add(row["program"])
    found = tally.report() if report else None
    if json:
        document: dict[str, Any] = {
            "level": level, "count": count, "seed": seed, "profile": profile, "dtype": dtype,
            "out": out and str(out),
            "resumed": resumed, "seconds": round(seconds, 3),
        }  # fmt: skip
        document |= {"report": found.to_json()} if found else {"programs": printed} if out is None else {}
        typer.echo(jsonl.dumps(document))
    elif found:
        render.console().print(render.synth_report(found))
    if out is not None:
        Console(stderr=True).print(
            f"{max(count, resumed)} programs in {out} ({resumed} were there), {seconds:.1f} s"
        )
    if found and not found.uniform:
        raise typer.Exit(1)


@contextlib.contextmanager
def _keeping(lint: bool) -> Iterator[Callable[[dict[str, Any]], bool]]:
    """What `synth` keeps: everything, or what task lint calls sound."""
    if not lint:
        yield lambda row: True
        return
    from tritonrl.verify.oracle.many import keeping_sound_tasks

    with keeping_sound_tasks() as keep:
        yield keep
