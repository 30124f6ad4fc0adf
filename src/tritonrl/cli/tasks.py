"""`tritonrl tasks lint|list|show`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Json
from tritonrl.errors import UserError

if TYPE_CHECKING:
    from tritonrl.tasks import Task


def lint(
    specs: Annotated[list[str], typer.Argument(help="Any number of FILE.py, FOLDER, FILE.jsonl or hf:NAME.")],
    json: Json = False,
) -> None:
    """Test tasks: does their exam reject wrong programs? Their code is run, in the sandbox. Exit 1 if one is
    weak."""
    from tritonrl import render
    from tritonrl.tasks import load_tasks
    from tritonrl.verify.oracle.many import lint_tasks

    tasks = [task for spec in specs for task in load_tasks(spec)]
    found = []
    with render.progress("tasks", len(tasks)) as progress:
        for number, each in enumerate(lint_tasks(tasks), start=1):
            found.append(each)
            if not json and not each.error:
                render.console().print(render.lint_sheet(each))
            progress(number)
    errors = [each.error for each in found if each.error]
    if json and len(errors) < len(found):
        documents = [{**each.model_dump(mode="json"), "weak": each.weak} for each in found]
        typer.echo(jsonl.dumps({"tasks": documents}))
    if errors:
        more = f" (and {len(errors) - 1} more tasks)" if len(errors) > 1 else ""
        raise UserError(f"{errors[0]}{more}")
    if any(each.weak for each in found):
        raise typer.Exit(1)


def list_all(
    spec: Annotated[str, typer.Argument(help="FILE.py, FOLDER, FILE.jsonl or hf:NAME_OR_PATH[:SPLIT].")],
    json: Json = False,
) -> None:
    """List the tasks that a file, folder, JSONL or data set holds. None of their code is run."""
    from tritonrl import render
    from tritonrl.tasks import load_tasks

    tasks = list(load_tasks(spec))
    if json:
        summaries = [_task_document(task, exclude={"source", "program"}) for task in tasks]
        typer.echo(jsonl.dumps({"tasks": summaries}))
    else:
        render.console().print(render.task_table(tasks))


def show(
    spec: Annotated[str, typer.Argument(help="FILE.py, FILE.py:Name, FILE.jsonl:ID or FILE.jsonl:LINE.")],
    json: Json = False,
) -> None:
    """Show one task: what it is, what a candidate must define, its source. None of its code is run."""
    from tritonrl import render
    from tritonrl.tasks import load_task

    task = load_task(spec)
    if json:
        typer.echo(jsonl.dumps(_task_document(task)))
    else:
        render.console().print(render.task_sheet(task))


def _task_document(task: "Task", exclude: set[str] | None = None) -> dict[str, Any]:
    return task.model_dump(exclude=exclude) | {"candidate_entry": task.candidate_entry}
