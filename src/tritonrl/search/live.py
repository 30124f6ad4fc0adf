"""What a person sees while a search runs: plans as they are written, layers as they are passed, the best so
far."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tritonrl.search.best_of_n import Candidate, Found

MARKS = {"pass": "✓", "fail": "✗", "skip": "·"}
LINES_HEARD = 8
"""Of the text that is being written."""
PLAN_WIDTH = 60


@contextmanager
def watching(found: Found, count: int) -> Iterator[bool]:
    """Show it on stderr until it is over, where that is a terminal; gives whether it is."""
    stderr = Console(stderr=True)
    if not stderr.is_terminal:
        yield False
        return
    with Live(
        get_renderable=lambda: view(found, count), console=stderr, transient=True, refresh_per_second=8
    ):
        yield True


def view(found: Found, count: int) -> RenderableType:
    """All that is known at this moment."""
    candidates, writing = list(found.candidates), dict(found.writing)
    table = Table("candidate", "plan", "layers", "speedup", box=None)
    for each in sorted(candidates, key=lambda each: each.proposal.sample):
        table.add_row(*_row(each), style="bold green" if each is found.best else None)
    known = len(candidates) + len(writing)
    state = f"{len(candidates)} of {count} candidates written, {len(found.accepted)} accepted"
    parts: list[RenderableType] = [Text(f"{found.task.id}: {state}" if known else f"{found.task.id}: asking")]
    parts += [Text(found.note, style="yellow")] if found.note else []
    parts += [table] if candidates else []
    for sample, text in sorted(writing.items())[:1]:
        lines = text.splitlines()[-LINES_HEARD:]
        parts.append(Text(f"candidate {sample} is being written", style="dim"))
        parts += [Text(line, overflow="ellipsis", no_wrap=True) for line in lines]
    return Group(*parts)


def _row(each: Candidate) -> tuple[str, str, str, str]:
    plan = ((each.completion and each.completion.plan) or "").partition("\n")[0][:PLAN_WIDTH]
    layers = each.verdict.layers if each.verdict else tuple(each.layers)
    marks = " ".join(f"{layer.name} {MARKS[layer.status]}" for layer in layers)
    state = each.error or marks + ("" if each.verdict else " …")
    speedup = f"{each.verdict.speedup:.2f}×" if each.verdict and each.verdict.speedup else ""
    return str(each.proposal.sample), plan, state.strip(), speedup
