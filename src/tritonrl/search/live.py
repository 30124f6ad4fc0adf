"""What a person sees while a search runs: plans as they are written, layers as they are passed, the best so
far."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tritonrl.search.found import Candidate, Found
from tritonrl.search.fragments.piece import Piece

MARKS = {"pass": "✓", "fail": "✗", "skip": "·"}
LINES_HEARD = 8
"""Of the text that is being written."""
PLAN_WIDTH = 60


@contextmanager
def watching(found: Found) -> Iterator[bool]:
    """Show it on stderr until it is over, where that is a terminal; gives whether it is."""
    stderr = Console(stderr=True)
    if not stderr.is_terminal:
        yield False
        return
    with Live(get_renderable=lambda: view(found), console=stderr, transient=True, refresh_per_second=8):
        yield True


def view(found: Found) -> RenderableType:
    """All that is known at this moment."""
    candidates, writing, pieces = list(found.candidates), dict(found.writing), list(found.pieces)
    state = "asking"
    if candidates or writing or pieces:
        state = f"{len(candidates)} candidates written, {len(found.accepted)} accepted"
        state = f"{_solved(pieces)}; {state}" if pieces else state
    parts: list[RenderableType] = [Text(f"{found.task.id}: {state}")]
    parts += [Text(found.note, style="yellow")] if found.note else []
    if found.history:
        steps = ", ".join(f"{speedup:.2f}× after {seconds:.0f} s" for seconds, speedup in found.history[-4:])
        parts.append(Text(f"best so far: {steps}", style="green"))
    if pieces:
        parts.append(_table(("fragment", "tried", "layers", "speedup"), (_piece(each) for each in pieces)))
    if candidates:
        rows = sorted(candidates, key=lambda each: each.sample)
        best = [each is found.best for each in rows]
        parts.append(_table(("candidate", "plan", "layers", "speedup"), map(_row, rows), best))
    for sample, text in sorted(writing.items())[:1]:
        lines = text.splitlines()[-LINES_HEARD:]
        parts.append(Text(f"candidate {sample} is being written", style="dim"))
        parts += [Text(line, overflow="ellipsis", no_wrap=True) for line in lines]
    return Group(*parts)


def _table(names: Sequence[str], rows: Iterable[Sequence[str]], best: Iterable[bool] = ()) -> Table:
    table = Table(*names, box=None)
    for row, is_best in zip_longest(rows, best, fillvalue=False):
        table.add_row(*row, style="bold green" if is_best else None)  # pyright: ignore
    return table


def _solved(pieces: Sequence[Piece]) -> str:
    return f"{sum(each.kernel is not None for each in pieces)} of {len(pieces)} fragments solved"


def _piece(each: Piece) -> tuple[str, str, str, str]:
    last = each.candidates[-1] if each.candidates else None
    times = each.kernel and each.kernel.times_us
    speedup = f"{times[0] / times[1]:.2f}×" if times else ""
    name = " · ".join(each.program.ops)
    return name[:PLAN_WIDTH], str(len(each.candidates)), _layers(last) if last else "", speedup


def _row(each: Candidate) -> tuple[str, str, str, str]:
    plan = ((each.completion and each.completion.plan) or "").partition("\n")[0][:PLAN_WIDTH]
    speedup = f"{each.speedup:.2f}×" if each.speedup else ""
    return str(each.sample), plan, _layers(each), speedup


def _layers(each: Candidate) -> str:
    layers = each.verdict.layers if each.verdict else tuple(each.layers)
    marks = " ".join(f"{layer.name} {MARKS[layer.status]}" for layer in layers)
    return (each.error or marks + ("" if each.verdict else " …")).strip()
