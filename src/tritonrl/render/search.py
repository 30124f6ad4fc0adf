"""What a search found, and the library of kernels."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tritonrl.render.screen import source

if TYPE_CHECKING:
    from tritonrl.search.library import Entry


def search_sheet(sentence: str, files: Sequence[Path]) -> RenderableType:
    """What came of a search, and where it lies."""
    return Group(Text(sentence), *(Text(str(each), style="cyan") for each in files))


def library_sheet(rows: Sequence[dict[str, Any]]) -> RenderableType:
    """Kernels of the library, a line each."""
    table = Table("id", "operators", "device", "precision", "by", "speedup", "made", box=None, pad_edge=False)
    for row in rows:
        speedup = "–" if row["speedup"] is None else f"{row['speedup']:.2f}×"
        named = [row[name] for name in ("device", "precision", "model")]
        table.add_row(row["id"], " · ".join(row["ops"]), *named, speedup, row["made"])
    return Group(table, Text(f"{len(rows)} kernels"))


def library_entries(entries: "Sequence[Entry]") -> RenderableType:
    """Kernels with their plans and code."""
    parts: list[RenderableType] = []
    for each in entries:
        times = each.times_us
        speed = f", {times[1]:.1f} µs where PyTorch takes {times[0]:.1f}" if times else ""
        head = f"{each.fragment}: {' · '.join(each.ops)} on {each.device}, by {each.model}{speed}"
        parts += [Text(head, style="bold"), Text(each.plan or "no plan"), source(each.code)]
    return Group(*parts) if parts else Text("no such kernel")
