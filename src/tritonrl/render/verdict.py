"""A verdict for a person."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from tritonrl.verify import Verdict
    from tritonrl.verify.verdict import Timing

_MARKS = {"pass": ("✓", "green"), "fail": ("✗", "red"), "skip": ("·", "dim")}
_LINES_AROUND = 2


def verdict_sheet(
    verdict: "Verdict", code: str, explain: bool = False, timing: bool = True
) -> RenderableType:
    """A verdict for a person: the answer, the layers, the findings; the whole story if asked."""
    answer = Text("accepted", "bold green") if verdict.accepted else Text("rejected", "bold red")
    if not verdict.accepted and verdict.rejection is None:
        answer = Text("not decided", "bold yellow")
    cached = " (from the cache)" if verdict.cached else ""
    head = Text.assemble(answer, f"  {verdict.task}  on {verdict.device}, {verdict.seconds:.1f} s{cached}")
    layers = Table(box=None, show_header=False, pad_edge=False)
    for layer in verdict.layers:
        mark, style = _MARKS[layer.status]
        story = "; ".join(layer.story) if explain else ""
        seconds = "" if layer.status == "skip" else f"{layer.seconds:.2f} s"
        layers.add_row(Text(mark, style), layer.name, Text(seconds, "dim"), Text(story))
    shown: list[RenderableType] = [head, Text(), layers]
    for finding in verdict.findings:
        style = {"reject": "red", "warning": "yellow"}.get(finding.severity, "dim")
        where = f" line {finding.line}:" if finding.line else ""
        shown += [Text(), Text.assemble((f"{finding.rule}", f"bold {style}"), f"{where} {finding.message}")]
        if finding.line and explain:
            shown.append(_excerpt(code, finding.line))
    if verdict.num_calls:
        shown += [Text(), Text(f"{verdict.num_calls} checked calls over {verdict.num_draws} draws of inputs")]
    if verdict.timing is not None:
        shown += [Text(), _timing_table(verdict.timing)]
    elif timing and verdict.accepted:
        why = ": kernels ran in Triton's interpreter" if verdict.device == "cpu" else ""
        shown.append(Text(f"speed not measured{why}", "dim"))
    return Group(*shown, *(_circumstances(verdict) if explain else []))


def _timing_table(timing: "Timing") -> Table:
    """The candidate and what it is compared with: what a user waits for, and what of it is the device's."""
    table = Table(
        "", "a call", "the device's part", "speedup", "95 % interval", "of the device's part", box=None
    )
    table.add_row("candidate", f"{timing.wall_us:.1f} µs", f"{timing.device_us:.1f} µs")
    for name, each in timing.baselines.items():
        speedup = Text("not trusted", "yellow") if timing.refused else Text(f"{each.speedup:.2f}×", "bold")
        times = f"{each.wall_us:.1f} µs", f"{each.device_us:.1f} µs"
        interval = f"{each.low:.2f} to {each.high:.2f}"
        table.add_row(name, *times, speedup, interval, f"{each.device_speedup:.2f}×")
    return table


def _circumstances(verdict: "Verdict") -> list[RenderableType]:
    """What the verdict rests on."""
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="cyan")
    answers = {"valid": verdict.valid, "compiled": verdict.compiled, "correct": verdict.correct}
    for name, value in answers.items():
        facts.add_row(name, "not decided" if value is None else "yes" if value else "no")
    facts.add_row("policy", f"{verdict.policy}, precision {verdict.precision}, compiled for {verdict.target}")
    if verdict.weights_replaced is not None:
        facts.add_row("weights", "replaced" if verdict.weights_replaced else "constructed under shared seeds")
    if verdict.sandbox:
        facts.add_row("sandbox", ", ".join(verdict.sandbox.held))
        for name, reason in verdict.sandbox.missing.items():
            facts.add_row("missing", Text(f"{name}: {reason}", "yellow"))
    facts.add_row("versions", ", ".join(f"{name} {version}" for name, version in verdict.versions.items()))
    return [Text(), facts]


def _excerpt(code: str, line: int) -> Syntax:
    first = max(1, line - _LINES_AROUND)
    return Syntax(
        code, "python", line_numbers=True, highlight_lines={line}, line_range=(first, line + _LINES_AROUND),
        background_color="default",
    )  # fmt: skip
