"""What was drawn: operators and pairs."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tritonrl.synth.report import Report

MOST_PAIRS_LISTED = 20


def synth_report(report: "Report") -> RenderableType:
    """Counts of operators as bars, the chi-square test, and the pairs."""
    counts = Table("operator", "count", "", box=None, pad_edge=False)
    largest = max(report.operators.values(), default=0) or 1
    for name, count in report.operators.items():
        counts.add_row(name, str(count), Text("█" * round(40 * count / largest), style="cyan"))
    verdict = "uniform" if report.uniform else "NOT uniform"
    lines = [
        f"{report.num_programs} programs, {sum(report.operators.values())} operators",
        f"chi-square {report.chi_square:.1f} over {len(report.operators) - 1} degrees of freedom, "
        f"p = {report.p_value:.4f}: {verdict}",
        f"pairs (one operator reads another's result): {report.num_pairs_seen} of "
        f"{len(report.possible_pairs)} possible",
    ]
    pairs = Table("pair", "count", box=None, pad_edge=False)
    commonest = sorted(report.pairs.items(), key=lambda item: (-item[1], item[0]))
    for (first, second), count in commonest[:MOST_PAIRS_LISTED]:
        pairs.add_row(f"{first} → {second}", str(count))
    missing = [f"{first} → {second}" for first, second in report.missing_pairs[:MOST_PAIRS_LISTED]]
    more = len(report.missing_pairs) - len(missing)
    tail = (
        f"not seen: {', '.join(missing)}{f' and {more} more' if more > 0 else ''}"
        if missing
        else "every pair was seen"
    )
    shown: list[RenderableType] = [counts, Text(), *map(Text, lines)]
    return Group(*shown, *([Text(), pairs, Text(), Text(tail)] if report.pairs else []))
