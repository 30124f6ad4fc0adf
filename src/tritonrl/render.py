"""What commands show a person: facts come in, rich renderables (tables, progress, source) go out."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from tritonrl.program import Program

if TYPE_CHECKING:
    from tritonrl.redteam.matrix import Outcome
    from tritonrl.search.library import Entry
    from tritonrl.synth.report import Report
    from tritonrl.tasks import Task
    from tritonrl.teach.manifest import Manifest
    from tritonrl.teach.model.manifest import ModelManifest
    from tritonrl.train.log import Logged
    from tritonrl.train.rl.records import Logged as Generation
    from tritonrl.train.rl.records import Look
    from tritonrl.verify import Verdict
    from tritonrl.verify.oracle.lint import TaskLint
    from tritonrl.verify.verdict import Timing

MOST_PAIRS_LISTED = 20


def console() -> Console:
    """Stdout; wide where it is no terminal, so that a pipe loses nothing."""
    return Console(width=None if sys.stdout.isatty() else 240)


def _bars() -> Progress:
    """On stderr, gone when the work is done; nothing where stderr is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    stderr = Console(stderr=True)
    return Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr that is gone when the work is done; the function given moves it."""
    with progresses() as told:
        told(what, 0, total)
        yield lambda done: told(what, done, total)


@contextmanager
def progresses() -> Iterator[Callable[[str, int, int], None]]:
    """The same for several things, each from when it is first told of."""
    with _bars() as bar:
        tasks: dict[str, TaskID] = {}

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

        yield told


@contextmanager
def training(num_steps: int) -> Iterator[Callable[["Logged"], None]]:
    """A bar of steps with the loss beside it."""
    with _bars() as bar:
        task = bar.add_task("steps", total=num_steps)

        def told(logged: "Logged") -> None:
            bar.update(task, completed=logged.step, description=f"loss {logged.loss:.4f}")

        yield told


def trained_sheet(found: dict[str, Any]) -> Table:
    """What a finished training run came to."""
    table = Table.grid(padding=(0, 2))
    accuracy = found["token_accuracy"]
    table.add_row("model", found["model"])
    table.add_row("trained", f"{found['num_steps']:,} steps, {found['num_tokens']:,} tokens")
    table.add_row(
        "loss", f"{found['loss']:.4f}" + (f", {accuracy:.2%} of tokens likeliest" if accuracy else "")
    )
    table.add_row("log", f"{found['log']}, {found['picture']}")
    return table


SHOWN_GENERATIONS = 15


@contextmanager
def reinforcing() -> Iterator[Callable[["Generation | Look"], None]]:
    """A table of the last generations on stderr, with what was last seen of held-out programs below it; gone
    when the work is done. Nothing where stderr is no terminal."""
    from rich.live import Live

    from tritonrl.train.rl.records import Look

    stderr = Console(stderr=True)
    generations: list[Generation] = []
    looks: dict[int, Look] = {}
    with Live(console=stderr, transient=True, auto_refresh=False) as live:

        def told(each: "Generation | Look") -> None:
            if isinstance(each, Look):
                looks[each.level] = each
            else:
                generations.append(each)
            if stderr.is_terminal:
                live.update(_live_table(generations[-SHOWN_GENERATIONS:], looks), refresh=True)

        yield told


def _live_table(generations: "Sequence[Generation]", looks: "dict[int, Look]") -> RenderableType:
    columns = ("", "level", "correct", "valid", "R code", "R plan", "speed p50", "entropy plan, code", "KL",
               "tokens/s", "verdicts/s", "write, verify, update %")  # fmt: skip
    table = Table(*columns, box=None)
    for each in generations:
        answers, update, shares = each.answers, each.update, each.seconds.shares
        parts = (shares["generation"], shares["verification"], shares["update"])
        table.add_row(
            f"{each.generation}/{each.num_generations}", str(each.level), _figure(answers.correct),
            _figure(answers.valid), _figure(answers.reward_code), _figure(answers.reward_plan),
            _figure(answers.speedup["p50"] if answers.speedup else None),
            f"{_figure(update.entropy_plan)}, {_figure(update.entropy_code)}", f"{update.kl:.4f}",
            f"{each.tokens_per_second:,.0f}", f"{each.verdicts_per_second:.1f}",
            ", ".join(f"{part:.0%}" for part in parts),
        )  # fmt: skip
    seen = [
        f"level {each.level}: {each.correct:.0%} correct, fast_1 {_figure(each.fast_1)}, geomean "
        f"{_figure(each.geomean_speedup)}x of {each.num_tasks} (after {each.generation})"
        for each in looks.values()
    ]
    return Group(table, Text("held out: " + "; ".join(seen) if seen else ""))


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def reinforced_sheet(found: dict[str, Any]) -> Table:
    """What a finished run of reinforcement learning came to."""
    table = Table.grid(padding=(0, 2))
    table.add_row("model", found["model"])
    table.add_row(
        "learned",
        f"{found['num_generations']:,} generations, {found['num_rollouts']:,} answers in "
        f"{found['minutes']:.1f} minutes ({found['rollouts_per_minute']:.0f} a minute), up to level "
        f"{found['level']}",
    )
    shares = ", ".join(f"{name.replace('_', ' ')} {share:.0%}" for name, share in found["shares"].items())
    table.add_row("time", shares)
    for before, after in zip(found["held_out"]["first"], found["held_out"]["last"], strict=False):
        both = [f"{_figure(each['correct'])} correct, fast_1 {_figure(each['fast_1'])}, geomean "
                f"{_figure(each['geomean_speedup'])}x" for each in (before, after)]  # fmt: skip
        table.add_row(f"held out, level {before['level']}", " → ".join(both))
    if again := found["recheck"]:
        table.add_row(
            "verified again", f"{again['num_passed_again']} of {again['num_distinct']} kernels that were "
            f"accepted among the last {again['num_rollouts']} answers passed",
        )  # fmt: skip
    table.add_row("log", ", ".join([found["log"], *found["pictures"]]))
    return table


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A moving sign on stderr while something takes its time; nothing where stderr is no terminal."""
    stderr = Console(stderr=True)
    if not stderr.is_terminal:
        yield
        return
    with stderr.status(what):
        yield


def source(text: str) -> Syntax:
    """Python source, highlighted, on the terminal's own background."""
    return Syntax(text.rstrip(), "python", background_color="default", word_wrap=True)


def program_sheet(program: Program) -> RenderableType:
    """A program's function with the shape of every value beside its line."""
    from tritonrl.program.emit import emit_function

    head, *body, last = emit_function(program)
    shapes = [str(program.values[program.value_of(position)]) for position in range(len(program.nodes))]
    width = max(map(len, body))
    inputs = ", ".join(map(str, program.inputs))
    lines = [head, f"    # {inputs}"]
    lines += [f"{line.ljust(width)}  # {shape}" for line, shape in zip(body, shapes, strict=True)]
    return source("\n".join([*lines, last]))


def task_table(tasks: "list[Task]") -> Table:
    table = Table(
        "task", "kind", "entry", "candidate", "level", "problem", "operators", box=None, pad_edge=False
    )
    for task in tasks:
        numbers = ("" if number is None else str(number) for number in (task.level, task.problem))
        operators = ", ".join(task.ops or ())
        table.add_row(task.id, task.kind, task.entry, task.candidate_entry, *numbers, operators)
    return table


def task_sheet(task: "Task") -> RenderableType:
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="cyan")
    rows = {
        "task": task.id,
        "kind": task.kind,
        "entry": task.entry,
        "candidate": f"defines {task.candidate_entry}",
        "level": task.level,
        "problem": task.problem,
        "path": task.path,
    }
    for name, value in rows.items():
        if value is not None:
            facts.add_row(name, str(value))
    if task.program is None:
        return Group(facts, Text(), source(task.source))
    program = Program.from_json(task.program)
    facts.add_row("work", f"{program.flops:,} FLOPs, {program.fused_bytes:,} bytes if fused")
    return Group(facts, Text(), program_sheet(program))


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


def manifest_sheet(manifest: "Manifest") -> RenderableType:
    """What a folder of pairs holds, by level, and what the verifier said of a sample."""
    lengths = ("characters", "median", "90 %", "99 %", "longest")
    table = Table("level", "structures", "programs", "pairs", *lengths, box=None, pad_edge=False)
    for level, counts in manifest.levels.items():
        first = [str(level), *(f"{each:,}" for each in (counts.structures, counts.programs, counts.pairs))]
        for what, found in manifest.lengths[level].items():
            sizes = (f"{number:,}" for number in (found.median, found.p90, found.p99, found.max))
            table.add_row(*first, what, *sizes)
            first = [""] * len(first)
    size_bytes = sum(shard.bytes for shard in manifest.shards)
    lines = [f"{manifest.num_pairs:,} pairs in {len(manifest.shards)} shards, {size_bytes:,} bytes"]
    verified = manifest.verified
    if verified and verified.rate is not None and verified.interval:
        low, high = verified.interval
        lines.append(
            f"the verifier ({verified.device}) accepted {verified.accepted} of {verified.judged} pairs: "
            f"{verified.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}"
        )
    for each in verified.rejected if verified else ():
        reason = f"{each.layer}, {each.rule}" if each.layer else "not judged"
        lines.append(f"  {each.program_id} draw {each.seed}: {reason}: {each.message}")
    return Group(table, Text(), *map(Text, lines))


def taught_sheet(manifest: "ModelManifest") -> RenderableType:
    """What a model was asked, what came of it, and what it cost."""
    answers, rate, lesson = manifest.answers, manifest.rate, manifest.settings
    lines = [f"{manifest.num_pairs:,} pairs in {len(manifest.shards)} shards, from {lesson.teacher}"]
    if rate.rate is not None and rate.interval:
        low, high = rate.interval
        lines.append(
            f"the verifier ({lesson.device}) accepted {rate.accepted:,} of {rate.judged:,} answers: "
            f"{rate.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}; {answers.repeated:,} repeat a code"
        )
    told = {
        "rejected by": answers.rejected,
        "no verdict, the fault of": answers.no_verdict,
        "requests that failed": answers.failed,
        "labels (tasks)": manifest.labels or {},
    }
    lines += [
        f"{what}: {', '.join(f'{name} ({count:,})' for name, count in counts.items())}"
        for what, counts in told.items()
        if counts
    ]
    if found := manifest.variants:
        lines.append(f"{found.tasks:,} tasks have variants: {found.accepted:,} of {found.written:,} written")
    spent = Table("spent on", "requests", "tokens in", "tokens out", "cost", box=None, pad_edge=False)
    for purpose, usage in manifest.usage.items():
        counts = (f"{each:,}" for each in (usage.requests, usage.tokens_in, usage.tokens_out))
        spent.add_row(purpose, *counts, "not known" if usage.cost is None else f"{usage.cost:.4f}")
    return Group(*map(Text, lines), Text(), spent)


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


def lint_sheet(lint: "TaskLint") -> RenderableType:
    """Each wrong program of a task, and what became of it."""
    table = Table("operator", "mistake", "outcome", "by", box=None, pad_edge=False)
    styles = {"killed": "green", "equivalent": "dim", "survived": "bold red", "untried": "yellow"}
    for mutant in lint.mutants:
        outcome = Text(mutant.status, styles[mutant.status])
        table.add_row(mutant.operator, mutant.mistake, outcome, mutant.killed_by or "")
    answer = Text("weak", "bold red") if lint.weak else Text("sound", "bold green")
    killed, total = lint.count("killed"), len(lint.mutants)
    counts = (
        f"{killed} of {total} wrong programs killed, {lint.count('equivalent')} equivalent to the reference"
    )
    added = f"; added questions: {', '.join(lint.strengthened_by)}" if lint.strengthened_by else ""
    return Group(Text.assemble(answer, f"  {lint.task}: {counts}{added}"), Text(), table, Text())


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


def _what_went_wrong(outcome: "Outcome") -> str:
    if outcome.verdict is None:
        return f"no verdict: {outcome.error}"
    rejection = outcome.verdict.rejection
    return f"rejected by {rejection.layer}: {rejection.message}" if rejection else "was accepted"


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
            f"{each:.2f}×" if name.startswith("speedup") else f"{each:.1%}" for each in numbers
        )
        sheet.add_row(name, value, f"{low} to {high}")
    parts: list[RenderableType] = [title, sheet]
    if found["findings"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in found["findings"].items())
        parts.append(Text(f"rejected by: {rules}"))
    for name, reason in found["unusable"].items():
        parts.append(Text(f"not scored: {name}: {reason}", style="yellow"))
    parts.append(Text(f"in {found['run']}", style="dim"))
    return Group(*parts)


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
