"""What flags of several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")
]
LibraryFile = Annotated[
    str | None, typer.Option("--library", help="File of verified kernels.", show_default="the user's own")
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Who writes: nano, composer, the PATH of a model, or openai:NAME.",
        show_default="nano where its weights are, else composer",
    ),
]
Device = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
RecipeFile = Annotated[Path, typer.Argument(help="RECIPE.toml; see recipes/.")]
Changes = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]…", help="Values of it to change: training.seed=1."),
]


def names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
