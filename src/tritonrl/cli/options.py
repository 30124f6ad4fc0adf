"""What flags of several commands share."""

from typing import Annotated

import typer

DEFAULT_MODEL = "nano where its weights are, else composer"
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")
]
LibraryFile = Annotated[
    str | None, typer.Option("--library", help="File of verified kernels.", show_default="the user's own")
]


def names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
