"""`tritonrl optimize`."""

from pathlib import Path
from typing import Annotated

import typer

from tritonrl import jsonl
from tritonrl.cli.library import library_of
from tritonrl.cli.options import Device, Json, ModelName
from tritonrl.errors import UserError


def optimize(
    file: Annotated[str, typer.Argument(help="FILE.py, FILE.py:Name or FILE.jsonl:ID.")],
    model: ModelName = None,
    samples: Annotated[
        int, typer.Option(min=1, help="Candidates to try at most: for the file, or for each fragment of it.")
    ] = 8,
    device: Device = "auto",
    policy: Annotated[
        str, typer.Option(help="hybrid: library operators may stay; full: all work in Triton.")
    ] = "hybrid",
    precision: Annotated[str, typer.Option(help="ieee, tf32, fp16 or bf16, as in verify.")] = "ieee",
    baseline: Annotated[
        str, typer.Option(help="What speed is compared with: eager, compile or both.")
    ] = "both",
    seed: Annotated[int, typer.Option(help="Of a model that draws.")] = 0,
    search: Annotated[
        str | None,
        typer.Option(
            help="best-of-n, fragments, one-fragment or refine.", show_default="fragments for what is long"
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="When to stop: 90s, 2m, or a number of candidates.")
    ] = None,
    library: Annotated[
        str | None, typer.Option(help="File of verified kernels, or none.", show_default="the user's own")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write.", show_default="FILE.triton.py, beside FILE.py")
    ] = None,
    json: Json = False,
) -> None:
    """Find kernels for a PyTorch file: the fastest verified candidate becomes a drop-in, with a proof
    sheet. Exit 1 if there is none."""
    from tritonrl import render
    from tritonrl.files import check_place
    from tritonrl.search import proof
    from tritonrl.search.budget import Budget
    from tritonrl.search.optimize import Order
    from tritonrl.search.optimize import optimize as find
    from tritonrl.search.strategies import strategy_of
    from tritonrl.tasks import load_task
    from tritonrl.teach.policies import default
    from tritonrl.teach.policies import policy as policy_of
    from tritonrl.verify import Settings
    from tritonrl.verify.settings import choose_baseline, choose_device, choose_target

    model = model or default()
    task, make, device = load_task(file), policy_of(model), choose_device(device)
    place = out or Path(task.path or file).with_suffix(".triton.py")
    if task.path and place.resolve() == Path(task.path).resolve():
        raise UserError(f"--out {place}: that is the file to optimize; name another")
    check_place(place)
    if search is not None:
        strategy_of(search)
    settings = Settings(
        device=device, target=choose_target(None, device), policy=policy, precision=precision,
        timing=device == "cuda", baseline=choose_baseline(baseline),
    )  # fmt: skip
    order = Order(model, make, seed, samples, search, Budget.parse(budget), library_of(library))
    made = find(task, settings, order)
    files, facts = proof.write(made, model, place)
    if json:
        typer.echo(jsonl.dumps(facts))
    else:
        found = made.found
        sentence = f"{proof.outcome(found)} In this: {made.scope}."
        sentence += f" Beforehand: {found.note}." if found.note else ""
        render.console().print(render.search_sheet(sentence, files))
    if made.found.interrupted:
        raise KeyboardInterrupt
    if not made.text:
        raise typer.Exit(1)
