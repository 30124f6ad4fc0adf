"""Mutation score: how many wrong programs the exams of tasks kill, for synthesised tasks and for modules.

PYTHONPATH=. python benchmarks/mutation.py [TASKS_PER_LEVEL]
"""

import sys
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from tests.program.modules import EXAMPLES
from tests.verify.test_task_lint import functional, module_task
from tritonrl.synth import Config, rows
from tritonrl.tasks import Task
from tritonrl.verify.oracle.many import lint_tasks

LEVELS = (1, 2, 3, 5, 10)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    table = Table(
        "tasks", "tested", "wrong programs", "killed", "equivalent", "survived", "weak tasks", box=None
    )
    for level in LEVELS:
        made = [functional(row["source"], row["id"]) for row in rows(Config(level=level, seed=11), count)]
        table.add_row(f"synth, level {level}", *_score(made))
    table.add_row("modules of tests/program", *_score([module_task(example.name) for example in EXAMPLES]))
    Console().print(table)


def _score(tasks: Iterable[Task]) -> list[str]:
    lints = [lint for lint in lint_tasks(tasks) if not lint.error]
    counts = [sum(lint.count(status) for lint in lints) for status in ("killed", "equivalent", "survived")]
    total = sum(len(lint.mutants) for lint in lints)
    return [f"{number:,}" for number in (len(lints), total, *counts, sum(lint.weak for lint in lints))]


if __name__ == "__main__":
    main()
