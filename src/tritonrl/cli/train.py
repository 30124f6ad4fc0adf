"""`tritonrl train sft|pack|rl|recheck`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Changes, Json, RecipeFile


def sft(
    recipe: RecipeFile,
    changes: Changes = None,
    json: Json = False,
) -> None:
    """Train a model on pairs of a task and an answer. A run that was interrupted goes on."""
    from tritonrl import render
    from tritonrl.train.recipe import Sft, load, need

    chosen = load(recipe, Sft, changes or ())
    need("trl")
    from tritonrl.train.sft.run import summary, train

    with render.training(chosen.training.num_steps) as told:
        train(chosen, told)
    found = summary(chosen)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.trained_sheet(found))


def pack(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run of `train sft`.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or an empty folder.")],
    json: Json = False,
) -> None:
    """Pack the model of a run in int8, with a card of what it has learned, as nano comes with the package."""
    from tritonrl import render
    from tritonrl.train.recipe import need

    need("trl")
    from tritonrl.train.sft.card import pack_run

    with render.waiting(f"packing {run}"):
        card = pack_run(run, folder, num_processes=os.cpu_count() or 1)
    typer.echo(jsonl.dumps(card.model_dump(mode="json")) if json else card.scope)


def rl(
    recipe: RecipeFile,
    changes: Changes = None,
    json: Json = False,
) -> None:
    """Let a model try, verify what it writes, and learn from that. A run that was interrupted goes on."""
    from tritonrl import render
    from tritonrl.train.recipe import load, need
    from tritonrl.train.rl.recipe import Rl

    chosen = load(recipe, Rl, changes or ())
    need("trl")
    from tritonrl.train.rl.run import summary, train

    with render.reinforcing() as told:
        train(chosen, told)
    found = summary(chosen)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.reinforced_sheet(found))


def recheck(
    run: Annotated[Path, typer.Argument(help="Folder of a run of `train rl`.")],
    last: Annotated[int, typer.Option(min=1, help="So many of its last answers.")] = 200,
    json: Json = False,
) -> None:
    """Verify again what a run accepted last, with fresh seeds and the strictest settings."""
    from tritonrl.train.rl.recheck import of_run

    found = of_run(run, last)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        for key in ("num_rollouts", "num_accepted", "num_distinct", "num_passed_again"):
            typer.echo(f"{found[key]:6}  {key.removeprefix('num_').replace('_', ' ')}")
        for each in (*found["failed"], *found["not_judged"]):
            typer.echo(f"{each['task']}: {(each.get('finding') or each)}")
    raise typer.Exit(0 if found["num_passed_again"] == found["num_distinct"] else 1)
