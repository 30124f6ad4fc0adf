"""Tasks and programs, and what task lint found of them."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tritonrl.program import Program
from tritonrl.render.screen import source

if TYPE_CHECKING:
    from tritonrl.tasks import Task
    from tritonrl.verify.oracle.lint import TaskLint


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
