"""`tritonrl library list|show|export|import`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Json, LibraryFile
from tritonrl.errors import UserError

if TYPE_CHECKING:
    from tritonrl.search.library import Library


def list_all(library: LibraryFile = None, json: Json = False) -> None:
    """Kernels that were verified on this machine, or taken from elsewhere."""
    from tritonrl import render

    rows = [
        {
            "id": each.fragment, "ops": list(each.ops), "device": each.device, "precision": each.precision,
            "model": each.model, "made": each.made, "speedup": each.verdict.speedup,
            "versions": each.versions,
        }
        for each in library_of(library, must_exist=True).entries()
    ]  # fmt: skip
    if json:
        typer.echo(jsonl.dumps({"num_entries": len(rows), "entries": rows}))
    else:
        render.console().print(render.library_sheet(rows))


def show(
    fragment: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it, or its beginning.")],
    library: LibraryFile = None,
    json: Json = False,
) -> None:
    """One program's kernels: plan, code and verdict. Exit 1 if there is none."""
    from tritonrl import render

    entries = library_of(library, must_exist=True).entries()
    found = [each for each in entries if each.fragment.startswith(fragment)]
    if json:
        typer.echo(jsonl.dumps({"entries": [each.model_dump(mode="json") for each in found]}))
    else:
        render.console().print(render.library_entries(found))
    if not found:
        raise typer.Exit(1)


def export(
    out: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="File to write.")],
    library: LibraryFile = None,
    json: Json = False,
) -> None:
    """Write all kernels to a file, for another machine."""
    from tritonrl.files import check_place, write_whole

    check_place(out)
    entries = library_of(library, must_exist=True).entries()
    try:
        lines = "".join(f"{jsonl.dumps(each.model_dump(mode='json'))}\n" for each in entries)
        write_whole(out, lines.encode())
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}") from error
    typer.echo(jsonl.dumps({"num_entries": len(entries), "out": str(out)}) if json else str(out))


def take_in(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="File that `export` wrote.")],
    library: LibraryFile = None,
    json: Json = False,
) -> None:
    """Take kernels from a file. They are judged again before they are used."""
    from tritonrl.search.library import read_rows

    count = library_of(library).take(read_rows(file), str(file))
    typer.echo(jsonl.dumps({"num_new": count}) if json else f"{count} new")


def library_of(name: str | None, *, must_exist: bool = False) -> "Library":
    """The library of this name: a file, `none`, or the user's own, which is there when it is asked for."""
    from tritonrl.files import check_place
    from tritonrl.search.library import Library, default_path

    if name and name != "none" and not Path(name).exists():
        if must_exist:
            raise UserError(f"{name}: there is no such library")
        check_place(Path(name))
    return Library(None if name == "none" else Path(name) if name else default_path())
