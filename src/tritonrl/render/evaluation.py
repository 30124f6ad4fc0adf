"""The table of a run."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text


def evaluation_sheet(found: dict[str, Any]) -> RenderableType:
    """The table of a run, then what could not be scored."""
    answers = f"{found['samples']} answer{'s' if found['samples'] > 1 else ''} a task"
    title = Text(f"{found['model']} on {found['suite']}: {found['num_tasks']} tasks, {answers}", style="bold")
    sheet = Table(box=None, pad_edge=False)
    sheet.add_column("")
    sheet.add_column(found["protocol"], justify="right")
    sheet.add_column("95 %")
    for name, measure in found["metrics"].items():
        numbers = (measure["value"], measure["low"], measure["high"])
        value, low, high = (
            "" if each is None else f"{each:.2f}×" if name.startswith("speedup") else f"{each:.1%}"
            for each in numbers
        )
        sheet.add_row(name, value, f"{low} to {high}" if low else "not known")
    parts: list[RenderableType] = [title, sheet]
    if found["findings"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in found["findings"].items())
        parts.append(Text(f"rejected by: {rules}"))
    for name, reason in found["unusable"].items():
        parts.append(Text(f"not scored: {name}: {reason}", style="yellow"))
    parts.append(Text(f"in {found['run']}", style="dim"))
    return Group(*parts)
