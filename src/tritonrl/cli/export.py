"""`tritonrl export`."""

from pathlib import Path
from typing import Annotated

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Json


def export(
    model: Annotated[str, typer.Argument(help="The model that comes with the package: nano.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or an empty folder.")],
    json: Json = False,
) -> None:
    """Write the model of the package as a folder in bfloat16 that transformers, TRL and vLLM load."""
    from tritonrl import render
    from tritonrl.errors import UnknownNameError
    from tritonrl.policy.nano.shipped import NAME, shipped_weights

    if model != NAME:
        raise UnknownNameError("model", model, [NAME])
    path = shipped_weights()
    with render.waiting(f"writing {folder}"):
        from tritonrl.policy.nano.export import export as write

        files = [str(each) for each in write(path, folder)]
    if json:
        typer.echo(jsonl.dumps({"model": model, "folder": str(folder), "files": files}))
    else:
        typer.echo("\n".join(files))
