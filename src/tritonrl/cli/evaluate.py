"""`tritonrl eval` and `tritonrl report`."""

import re
from pathlib import Path
from typing import Annotated

import typer

from tritonrl import jsonl
from tritonrl.cli.library import library_of
from tritonrl.cli.options import Device, Json, LibraryFile, ModelName
from tritonrl.errors import UserError

INTERPRETED_SECONDS = 5.0
"""After which `eval` asks an interpreted kernel nothing twice: some take seconds a call."""


def evaluate(
    suite: Annotated[str, typer.Argument(help="synth:1,2,5, modules, modules:2, a FOLDER or a FILE.jsonl.")],
    model: ModelName = None,
    completions: Annotated[
        Path | None, typer.Option(help="Score these saved completions (JSONL) instead of asking a model.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Answers a task.")] = 1,
    count: Annotated[
        int | None, typer.Option(min=1, help="The first tasks only; of synth, programs of each level.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of synthesised programs, and of a model that draws.")] = 0,
    profile: Annotated[
        str | None, typer.Option(help="Sizes of synthesised programs: cpu or gpu; that of the device.")
    ] = None,
    device: Device = "auto",
    policy: Annotated[str, typer.Option(help="full or hybrid, as in verify.")] = "full",
    precision: Annotated[str, typer.Option(help="ieee, tf32, fp16 or bf16, as in verify.")] = "ieee",
    timing: Annotated[bool, typer.Option(help="Measure speed, where there is a GPU.")] = True,
    baseline: Annotated[
        str, typer.Option(help="What speed is compared with: eager, compile or both.")
    ] = "eager",
    judge: Annotated[
        str | None, typer.Option(help="A language model that judges by the rubric too: openai:NAME.")
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="How the table counts: strict, kernelbench, tritonrl or drtriton.")
    ] = "strict",
    search: Annotated[
        str | None, typer.Option(help="Search for the best answer: fragments, one-fragment or best-of-n.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Of the search, for each task on average: 12s, or candidates.")
    ] = None,
    library: LibraryFile = None,
    part: Annotated[str, typer.Option(help="I/N: every Nth task, from the Ith on; merge the parts.")] = "1/1",
    merge: Annotated[
        list[Path] | None, typer.Option(help="Take over what this run has; again for more.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run; one that was interrupted goes on.", show_default="runs/…"),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Candidates at a time; 0 chooses.")] = 0,
    json: Json = False,
) -> None:
    """Evaluate a model on a suite of tasks: answers, verdicts, and a table with intervals."""
    from tritonrl import render
    from tritonrl.evaluate import protocols
    from tritonrl.evaluate.evaluate import evaluate as complete
    from tritonrl.evaluate.folder import Folder
    from tritonrl.evaluate.models import model as model_of
    from tritonrl.evaluate.records import Config, versions
    from tritonrl.evaluate.suites import suite as tasks_of
    from tritonrl.evaluate.table import document
    from tritonrl.search.budget import Budget
    from tritonrl.search.strategies import strategy_of
    from tritonrl.teach.policies import default
    from tritonrl.verify import Settings
    from tritonrl.verify.settings import choose_baseline, choose_device, choose_judge, choose_target

    chosen, who = protocols.protocol(protocol), f"file:{completions}" if completions else model or default()
    model_of(who)
    others = [Folder(each) for each in merge or ()]
    device = choose_device(device)
    settings = Settings(
        device=device,
        target=choose_target(None, device),
        policy=policy,
        precision=precision,
        timing=timing and device == "cuda",
        baseline=choose_baseline(baseline),
        judge=choose_judge(judge),
        looks_close=True,
    )
    if device == "cpu":
        settings = settings.model_copy(update={"total_seconds": INTERPRETED_SECONDS})
    sizes = profile or {"cpu": "cpu", "cuda": "gpu"}[device]
    if search is not None:
        strategy_of(search)
    elif budget is not None:
        raise UserError("--budget is for --search")
    Budget.parse(budget)
    config = Config(
        suite=suite, count=count, seed=seed, profile=sizes, model=who, samples=samples, search=search,
        budget=budget, part=_part(part), settings=settings, versions=versions(),
    )  # fmt: skip
    name = "-".join(filter(None, re.split(r"[^\w.]+", f"{suite} {who} {search or ''}")))
    folder = Folder.open(
        out or Path("runs", name),
        config,
        lambda: tasks_of(suite, count, seed=seed, profile=sizes, part=config.part),
    )
    for other in others:
        folder.adopt(other)
    total = samples * sum(each.task is not None for each in folder.listed)
    with render.progress("answers", total) as asked, render.progress("verdicts", total) as judged:
        kept = library_of(library) if search else None
        complete(folder, workers=workers or None, library=kept, asked=asked, judged=judged)
    found = document(folder, chosen)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.evaluation_sheet(found))
    if not found["num_tasks"]:
        raise typer.Exit(1)


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise UserError(f"--part {text}: expected I/N with I from 1 to N")
    return number, of


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of `tritonrl eval`, side by side.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to.", show_default="the first run's, report/")
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="How the tables count: strict, kernelbench, tritonrl or drtriton.")
    ] = "strict",
    json: Json = False,
) -> None:
    """Write a report of one or several runs: a page to open, pictures, and Markdown."""
    from tritonrl import render
    from tritonrl.evaluate import protocols
    from tritonrl.evaluate.folder import Folder
    from tritonrl.evaluate.report import write_report
    from tritonrl.evaluate.table import document

    chosen = protocols.protocol(protocol)
    folders = [Folder(each) for each in runs]
    with render.waiting("writing the report"):
        written = write_report(folders, out or runs[0] / "report", chosen)
    if json:
        found = {"files": [str(each) for each in written]}
        typer.echo(jsonl.dumps(found | {"runs": [document(each, chosen) for each in folders]}))
    else:
        for each in written:
            typer.echo(str(each))
