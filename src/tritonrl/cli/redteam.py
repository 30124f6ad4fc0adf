"""`tritonrl redteam` and `tritonrl judge-check`."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Device, Json, names
from tritonrl.errors import UserError


def redteam(
    more: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", hidden=True)] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Families (A1), letters (A) or cases (A1/name); again for more.")
    ] = None,
    device: Device = "auto",
    skip_layers: Annotated[str, typer.Option(help="Layers to leave out, separated by commas (lint).")] = "",
    out: Annotated[
        Path | None, typer.Option(help="JSONL file to write each case to as it is judged.")
    ] = None,
    json: Json = False,
) -> None:
    """Try the verifier: every cheat of the corpus must be caught, every honest kernel accepted. Exit 1 if
    not."""
    from tritonrl import render
    from tritonrl.redteam.corpus import corpus
    from tritonrl.redteam.matrix import CALL_SECONDS, TOTAL_SECONDS, document, try_cases
    from tritonrl.verify import Settings
    from tritonrl.verify.settings import choose_device, choose_target

    device = choose_device(device)
    settings = Settings(
        device=device,
        target=choose_target(None, device),
        timing=device == "cuda",
        skip_layers=names(skip_layers),
        total_seconds=TOTAL_SECONDS,
        call_seconds=CALL_SECONDS,
    )
    cases = corpus(_chosen(only, more), device)
    outcomes = []
    with render.progress("cases", len(cases)) as progress, _lines(out) as write:
        for outcome in try_cases(cases, settings):
            outcomes.append(outcome)
            write(outcome.document())
            progress(len(outcomes))
    outcomes.sort(key=lambda outcome: cases.index(outcome.case))
    if json:
        typer.echo(jsonl.dumps(document(outcomes)))
    else:
        render.console().print(render.redteam_sheet(outcomes))
    if not all(outcome.is_right for outcome in outcomes):
        raise typer.Exit(1)


def judge_check(
    model: Annotated[str, typer.Argument(help="The language model that is tried: openai:NAME.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", hidden=True)] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Families (A1), letters (A) or cases (A1/name); again for more.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Answers a case.")] = 1,
    price_in: Annotated[float | None, typer.Option(min=0, help="Of a million tokens read.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="Of a million tokens written.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSONL file of the answers; one that was interrupted is completed.")
    ] = None,
    json: Json = False,
) -> None:
    """Try a language model as the judge: how many cheats of the corpus does it let pass, how many honest
    kernels does it reject? Nothing is run. Exit 1 if it judged nothing."""
    from tritonrl import render
    from tritonrl.llm import Client, Endpoint
    from tritonrl.redteam.corpus import corpus
    from tritonrl.redteam.error_rates import document
    from tritonrl.redteam.opinions import ask_cases

    cases = corpus(_chosen(only, more), device="cuda")
    endpoint = Endpoint.named(model, price_in=price_in, price_out=price_out)
    with render.progress("answers", samples * len(cases)) as progress, Client(endpoint) as client:
        rows = ask_cases(client, cases, samples, out, progress)
        found = document(rows, client.usage)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.error_rates_sheet(found))
    if all(row.passes is None for row in rows):
        raise typer.Exit(1)


def _chosen(only: list[str] | None, more: list[str] | None) -> tuple[str, ...]:
    given = (*(only or ()), *(more or ()))
    chosen = tuple(name for each in given for name in names(each))
    if given and not chosen:
        raise UserError(f"--only {','.join(given)}: names no case")
    return chosen


@contextlib.contextmanager
def _lines(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """A function that writes a line to a file, at once; nothing without a file."""
    if path is None:
        yield lambda row: None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    with file:
        yield lambda row: print(jsonl.dumps(row), file=file, flush=True)
