"""The matrix of the red team, and how often a language model is wrong about it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tritonrl.redteam.matrix import Outcome


def redteam_sheet(outcomes: "Sequence[Outcome]") -> RenderableType:
    """The matrix of families and the layers that caught them, and every case that went wrong."""
    from tritonrl.redteam.matrix import document, matrix

    table = matrix(outcomes)
    layers = dict.fromkeys(layer.name for each in outcomes if each.verdict for layer in each.verdict.layers)
    columns = [name for name in (*layers, "accepted", "failed") if any(row[name] for row in table.values())]
    sheet = Table("family", *columns, box=None, pad_edge=False)
    for family, row in table.items():
        sheet.add_row(family, *(str(row[column] or "·") for column in columns))
    wrong = [each for each in outcomes if not each.is_right]
    counts = document(outcomes)
    summary = Text.assemble(
        ("all as it must be", "bold green") if not wrong else (f"{len(wrong)} went wrong", "bold red"),
        f": {counts['cheats']['caught']} of {counts['cheats']['total']} cheats caught, "
        f"{counts['honest']['accepted']} of {counts['honest']['total']} honest kernels accepted",
    )
    lines = [Text.assemble((each.case.id, "bold"), f"  {_what_went_wrong(each)}") for each in wrong]
    return Group(sheet, Text(), summary, *lines)


def _what_went_wrong(outcome: "Outcome") -> str:
    if outcome.verdict is None:
        return f"no verdict: {outcome.error}"
    rejection = outcome.verdict.rejection
    return f"rejected by {rejection.layer}: {rejection.message}" if rejection else "was accepted"


def error_rates_sheet(found: dict[str, Any]) -> RenderableType:
    """How often a language model is wrong: by group, by family, and the rules that it named."""
    words = {
        "cheats": "cheats that it lets pass",
        "cheats_in_the_text": "  of families that its rules name",
        "mistakes": "mistakes that it lets pass",
        "honest": "honest kernels that it rejects",
    }
    rates = Table("", "errors", "of", "not judged", "share", "95 %", box=None, pad_edge=False)
    for name, text in words.items():
        rates.add_row(text, *_error_rate(found[name]))
    families = Table("family", "errors", "of", "not judged", "share", "95 %", box=None, pad_edge=False)
    for name, each in found["families"].items():
        families.add_row(name, *_error_rate(each))
    rules = Table("rule named", *found["rules"]["rubric-1"], box=None, pad_edge=False)
    for name, counts in found["rules"].items():
        rules.add_row(name, *map(str, counts.values()))
    usage = found["usage"]
    cost = "" if usage["cost"] is None else f", cost {usage['cost']:.4f}"
    lines = [Text(f"not judged, {count}: {why}", "yellow") for why, count in found["not_judged"].items()]
    spent = f"{usage['tokens_in']:,} tokens read, {usage['tokens_out']:,} written in this run{cost}"
    head = Text(f"{found['model']}, {found['answers']} answers", "bold")
    return Group(head, Text(), rates, Text(), families, Text(), rules, Text(), *lines, Text(spent, "dim"))


def _error_rate(found: dict[str, Any]) -> list[str]:
    counts = [str(found["errors"]), str(found["answers"] - found["not_judged"]), str(found["not_judged"])]
    if found["share"] is None:
        return [*counts, "–", ""]
    return [*counts, f"{found['share']:.1%}", f"{found['low']:.1%} to {found['high']:.1%}"]
