"""`tritonrl doctor`."""

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Json


def doctor(json: Json = False) -> None:
    """Say what this machine has: versions, GPU, sandbox features, extras, and how to get what is missing."""
    from tritonrl import doctor as examination
    from tritonrl import render

    found = examination.examine()
    if json:
        typer.echo(jsonl.dumps(found.model_dump()))
    else:
        render.console().print(examination.render(found))
