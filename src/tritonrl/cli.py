"""The command line: one thin command per verb.

Results go to stdout, progress and messages to stderr; `--json` prints one document on stdout and nothing else
there. Exit codes: 0 yes, 1 the answer is no, 2 the question was wrong (one line, no traceback), 130
interrupted. Everything heavy is imported inside the command that needs it: `tritonrl --help` loads no torch.
"""

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

import tritonrl
from tritonrl import jsonl
from tritonrl.errors import UserError

if TYPE_CHECKING:
    from tritonrl.search.library import Library
    from tritonrl.tasks import Task
    from tritonrl.teach.manifest import Manifest

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
tasks_app = typer.Typer(
    no_args_is_help=True, help="Look at tasks: what a file, folder, JSONL or data set holds."
)
app.add_typer(tasks_app, name="tasks")
library_app = typer.Typer(no_args_is_help=True, help="Kernels that were verified before.")
app.add_typer(library_app, name="library")
train_app = typer.Typer(no_args_is_help=True, help="Train models by recipes.")
app.add_typer(train_app, name="train")

UsageError: type[Exception] = typer.BadParameter.__base__ or typer.BadParameter
"""Typer's own errors about flags and commands, reached from a public name: its parser is private."""

INTERRUPTED = 130
INTERPRETED_SECONDS = 5.0
"""After which `eval` asks an interpreted kernel nothing twice: some take seconds a call."""

DEFAULT_MODEL = "nano where its weights are, else composer"

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")
]

LibraryFile = Annotated[
    str | None, typer.Option("--library", help="File of verified kernels.", show_default="the user's own")
]


def main() -> None:
    """Run the command line; every way out of it is an exit code."""
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # as newer versions of typer say it
            raise KeyboardInterrupt
        sys.exit(code)
    except UserError as error:
        _complain(str(error), error.exit_code)
    except UsageError as error:
        _complain(error.format_message(), 2)  # pyright: ignore[reportAttributeAccessIssue]
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our stdout is gone: nothing is left to say, and Python must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _complain(message: str, code: int) -> None:
    sys.stderr.write(f"tritonrl: {' '.join(message.split())}\n")
    sys.exit(code)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tritonrl {tritonrl.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Train language models to write Triton GPU kernels, and prove that what they wrote is real."""


@app.command()
def synth(
    level: Annotated[
        int, typer.Option(help="Number of compute operators in a program (usual: 1 2 3 5 10 20).")
    ],
    count: Annotated[int, typer.Option(min=0, help="Number of distinct programs.")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="JSONL file to write; without it the rows go to stdout.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="Sizes: cpu (milliseconds) or gpu (more than launch overhead).")
    ] = "cpu",
    ops: Annotated[str, typer.Option(help="Draw from these operators only, separated by commas.")] = "",
    views: Annotated[float, typer.Option(help="Share of operands that are read through a view.")] = 0.0,
    dtype: Annotated[
        str, typer.Option(help="Element type of a program: float32, float16 or bfloat16.")
    ] = "float32",
    workers: Annotated[
        int, typer.Option(min=0, help="Processes; 0 chooses. The output does not depend on it.")
    ] = 0,
    resume: Annotated[bool, typer.Option(help="Complete a file that an interrupted run left.")] = False,
    lint: Annotated[
        bool, typer.Option("--lint", help="Keep only tasks whose exam rejects wrong programs.")
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            help="Print operator uniformity and pair coverage (without --out, instead of the rows)."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Write random PyTorch programs: a DAG of operators, its shapes solved with CP-SAT."""
    from tritonrl import render
    from tritonrl.program import COMPUTE
    from tritonrl.synth import Config, rows, write
    from tritonrl.synth.pool import workers_for
    from tritonrl.synth.report import Tally

    chosen = tuple(name.strip() for name in ops.split(",") if name.strip()) if ops else COMPUTE
    config = Config(level, seed, profile, chosen, views, dtype)
    workers = workers or workers_for(count)
    if resume and out is None:
        raise UserError("--resume needs the --out file to complete")
    started, tally, printed, resumed = time.perf_counter(), Tally(config.ops), [], 0
    with render.progress("programs", count) as progress, _keeping(lint) as keep:
        if out is not None:
            resumed = write(config, count, out, workers, resume, progress, keep)
        else:
            for number, row in enumerate(rows(config, count, workers, keep=keep), start=1):
                tally.add(row["program"])
                if json and not report:
                    printed.append(row)
                elif not report:
                    typer.echo(jsonl.dumps(row))
                progress(number)
    seconds = time.perf_counter() - started
    if report and out is not None:
        for _, row in jsonl.read(out):
            tally.add(row["program"])
    found = tally.report() if report else None
    if json:
        document: dict[str, Any] = {
            "level": level, "count": count, "seed": seed, "profile": profile, "dtype": dtype,
            "out": out and str(out),
            "resumed": resumed, "seconds": round(seconds, 3),
        }  # fmt: skip
        document |= {"report": found.to_json()} if found else {"programs": printed} if out is None else {}
        typer.echo(jsonl.dumps(document))
    elif found:
        render.console().print(render.synth_report(found))
    if out is not None:
        Console(stderr=True).print(
            f"{max(count, resumed)} programs in {out} ({resumed} were there), {seconds:.1f} s"
        )
    if found and not found.uniform:
        raise typer.Exit(1)


@app.command()
def distil(
    teacher: Annotated[str, typer.Option(help="Who writes the answers: composer, by rule, or openai:NAME.")],
    out: Annotated[Path, typer.Option(help="Folder of the shards; a run that was interrupted is completed.")],
    tasks: Annotated[
        str | None,
        typer.Option(help="Ask a model about FILE.py, FOLDER, FILE.jsonl or hf:NAME, instead of programs."),
    ] = None,
    level: Annotated[
        list[int] | None, typer.Option(help="Level of programs; again for more.", show_default="1 2 3 5")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(min=1, help="Programs of each level; the first of --tasks.", show_default="1000; all"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same programs.", show_default="0")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Sizes: cpu or gpu, as in synth.", show_default="cpu")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(help="Element type: float32, float16 or bfloat16.", show_default="float32"),
    ] = None,
    views: Annotated[float, typer.Option(help="Share of operands that are read through a view.")] = 0.0,
    shapes: Annotated[
        int | None,
        typer.Option(min=1, help="Choices of sizes for a program, if it has them.", show_default="2"),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            min=1, help="Answers to each task; the same counts once.", show_default="8, of a model 5"
        ),
    ] = None,
    label: Annotated[
        bool, typer.Option("--label", help="Have a model label the tasks: level 1 or 2.")
    ] = False,
    augment: Annotated[
        int, typer.Option(min=0, max=5, help="Have a model write variants of a task, at other shapes.")
    ] = 0,
    endpoint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="How a model is asked: temperature, price_in, …; again for more."
        ),
    ] = None,
    shard_size: Annotated[int, typer.Option(min=1, help="Programs of a shard; of a model, pairs.")] = 500,
    file_format: Annotated[str, typer.Option("--format", help="jsonl or parquet.")] = "jsonl",
    expanded: Annotated[
        bool, typer.Option("--expanded", help="Write the texts too, not only what they are made from.")
    ] = False,
    verify: Annotated[
        int, typer.Option(min=0, help="Pairs of a random sample to verify; a model's are all verified.")
    ] = 0,
    device: Annotated[str, typer.Option(help="Where they are verified: auto, cpu or cuda.")] = "auto",
    workers: Annotated[
        int, typer.Option(min=0, help="Processes; 0 chooses. The output does not depend on it.")
    ] = 0,
    json: Json = False,
) -> None:
    """Write pairs of a task and a kernel for it, which a model learns from. Exit 1 if there are none."""
    from tritonrl import render

    programs = {"levels": level and tuple(level), "count": count, "seed": seed, "profile": profile}
    common = programs | {"dtype": dtype, "draws": draws, "shard_size": shard_size, "format": file_format}
    if teacher.startswith("openai:"):
        of_composer = {"--shapes": shapes, "--views": views, "--expanded": expanded, "--verify": verify}
        _refuse(of_composer, "the composer")
        from tritonrl.teach.model.lesson import Lesson, teacher_named
        from tritonrl.teach.model.teach import teach
        from tritonrl.verify.settings import choose_device

        asked = teacher_named(teacher, endpoint or ())
        lesson = Lesson.of(
            asked, tasks=tasks, label=label, augment=augment, device=choose_device(device), **common
        )
        with render.progresses() as told:
            taught = teach(lesson, asked, out, workers=workers or None, progress=told)
        manifest, sheet = taught, render.taught_sheet(taught)
    else:
        only = {"--tasks": tasks, "--label": label, "--augment": augment, "--endpoint": endpoint}
        _refuse(only, "a model, openai:NAME")
        given = {name: value for name, value in common.items() if value is not None}
        if shapes:
            given["shapes"] = shapes
        settings = {"teacher": teacher, "expanded": expanded, "views": views, **given}
        made = _composed(out, settings, verify, device, workers)
        manifest, sheet = made, render.manifest_sheet(made)
    if json:
        typer.echo(jsonl.dumps(manifest.model_dump(mode="json")))
    else:
        render.console().print(sheet)
    if not manifest.num_pairs:
        raise typer.Exit(1)


def _refuse(options: dict[str, object], whose: str) -> None:
    """Options that another kind of teacher has."""
    for name, value in options.items():
        if value:
            raise UserError(f"{name} is for the teacher {whose}")


def _composed(out: Path, settings: dict[str, Any], verify: int, device: str, workers: int) -> "Manifest":
    """Pairs by the composer, and a sample of them verified if asked."""
    from tritonrl import render
    from tritonrl.synth.pool import workers_for
    from tritonrl.teach.distil import distil as make_pairs
    from tritonrl.teach.run import Run
    from tritonrl.teach.verified import settings_for, verify_sample
    from tritonrl.verify.settings import choose_device

    run = Run(**settings)
    how = settings_for(run, choose_device(device)) if verify else None
    workers = workers or workers_for(run.num_programs)
    with render.progress("programs", run.num_programs) as progress:
        manifest = make_pairs(run, out, workers, progress)
    if how:
        with render.progress("verified pairs", verify) as progress:
            manifest = verify_sample(out, manifest, verify, how, progress=progress)
    return manifest


@train_app.command("sft")
def train_sft(
    recipe: Annotated[Path, typer.Argument(help="RECIPE.toml; see recipes/.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]…", help="Values of it to change: training.num_steps=100."),
    ] = None,
    json: Json = False,
) -> None:
    """Train a model on pairs of a task and an answer. A run that was interrupted goes on."""
    from tritonrl import render
    from tritonrl.train.recipe import Sft, load, need

    chosen = load(recipe, Sft, changes or ())
    need("trl")
    from tritonrl.train.sft.run import summary, train

    with render.training(chosen.training.num_steps) as told:
        train(chosen, told)
    found = summary(chosen)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.trained_sheet(found))


@train_app.command("rl")
def train_rl(
    recipe: Annotated[Path, typer.Argument(help="RECIPE.toml; see recipes/.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]…", help="Values of it to change: objective.alpha=0.2."),
    ] = None,
    json: Json = False,
) -> None:
    """Let a model try, verify what it writes, and learn from that. A run that was interrupted goes on."""
    from tritonrl import render
    from tritonrl.train.recipe import load, need
    from tritonrl.train.rl.recipe import Rl

    chosen = load(recipe, Rl, changes or ())
    need("trl")
    from tritonrl.train.rl.run import summary, train

    with render.reinforcing() as told:
        train(chosen, told)
    found = summary(chosen)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.reinforced_sheet(found))


@train_app.command("recheck")
def train_recheck(
    run: Annotated[Path, typer.Argument(help="Folder of a run of `train rl`.")],
    last: Annotated[int, typer.Option(min=1, help="So many of its last answers.")] = 200,
    json: Json = False,
) -> None:
    """Verify again what a run accepted last, with fresh seeds and the strictest settings."""
    from tritonrl.train.rl.recheck import of_run

    found = of_run(run, last)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        for key in ("num_rollouts", "num_accepted", "num_distinct", "num_passed_again"):
            typer.echo(f"{found[key]:6}  {key.removeprefix('num_').replace('_', ' ')}")
        for each in (*found["failed"], *found["not_judged"]):
            typer.echo(f"{each['task']}: {(each.get('finding') or each)}")
    raise typer.Exit(0 if found["num_passed_again"] == found["num_distinct"] else 1)


@app.command()
def optimize(
    file: Annotated[str, typer.Argument(help="FILE.py, FILE.py:Name or FILE.jsonl:ID.")],
    model: Annotated[
        str | None,
        typer.Option(
            help="Who writes the candidates: nano, composer, the PATH of a model, or openai:NAME.",
            show_default=DEFAULT_MODEL,
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, help="Candidates to try at most: for the file, or for each fragment of it.")
    ] = 8,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    policy: Annotated[
        str, typer.Option(help="hybrid: library operators may stay; full: all work in Triton.")
    ] = "hybrid",
    precision: Annotated[str, typer.Option(help="ieee, tf32, fp16 or bf16, as in verify.")] = "ieee",
    baseline: Annotated[
        str, typer.Option(help="What speed is compared with: eager, compile or both.")
    ] = "both",
    seed: Annotated[int, typer.Option(help="Of a model that draws.")] = 0,
    search: Annotated[
        str | None,
        typer.Option(
            help="best-of-n, fragments, one-fragment or refine.", show_default="fragments for what is long"
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="When to stop: 90s, 2m, or a number of candidates.")
    ] = None,
    library: Annotated[
        str | None, typer.Option(help="File of verified kernels, or none.", show_default="the user's own")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write.", show_default="FILE.triton.py, beside FILE.py")
    ] = None,
    json: Json = False,
) -> None:
    """Find kernels for a PyTorch file: the fastest verified candidate becomes a drop-in, with a proof
    sheet. Exit 1 if there is none."""
    from tritonrl import render
    from tritonrl.search import proof
    from tritonrl.search.budget import Budget
    from tritonrl.search.optimize import Order
    from tritonrl.search.optimize import optimize as find
    from tritonrl.search.strategies import strategy_of
    from tritonrl.tasks import load_task
    from tritonrl.teach.policies import default
    from tritonrl.teach.policies import policy as policy_of
    from tritonrl.verify import Settings
    from tritonrl.verify.settings import choose_baseline, choose_device, choose_target

    model = model or default()
    task, make, device = load_task(file), policy_of(model), choose_device(device)
    if search is not None:
        strategy_of(search)
    settings = Settings(
        device=device, target=choose_target(None, device), policy=policy, precision=precision,
        timing=device == "cuda", baseline=choose_baseline(baseline),
    )  # fmt: skip
    order = Order(model, make, seed, samples, search, Budget.parse(budget), _library(library))
    place = out or Path(task.path or file).with_suffix(".triton.py")
    made = find(task, settings, order)
    files, facts = proof.write(made, model, place)
    if json:
        typer.echo(jsonl.dumps(facts))
    else:
        found = made.found
        sentence = f"{proof.outcome(found)} In this: {made.scope}."
        sentence += f" Beforehand: {found.note}." if found.note else ""
        render.console().print(render.search_sheet(sentence, files))
    if made.found.interrupted:
        raise KeyboardInterrupt
    if not made.text:
        raise typer.Exit(1)


def _library(name: str | None) -> "Library":
    """The library of this name: a file, `none`, or the user's own."""
    from tritonrl.search.library import Library, default_path

    return Library(None if name == "none" else Path(name) if name else default_path())


@library_app.command("list")
def library_list(library: LibraryFile = None, json: Json = False) -> None:
    """Kernels that were verified on this machine, or taken from elsewhere."""
    from tritonrl import render

    rows = [
        {
            "id": each.fragment, "ops": list(each.ops), "device": each.device, "precision": each.precision,
            "model": each.model, "made": each.made, "speedup": each.verdict.speedup,
            "versions": each.versions,
        }
        for each in _library(library).entries()
    ]  # fmt: skip
    if json:
        typer.echo(jsonl.dumps({"num_entries": len(rows), "entries": rows}))
    else:
        render.console().print(render.library_sheet(rows))


@library_app.command("show")
def library_show(
    fragment: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it, or its beginning.")],
    library: LibraryFile = None,
    json: Json = False,
) -> None:
    """One program's kernels: plan, code and verdict. Exit 1 if there is none."""
    from tritonrl import render

    found = [each for each in _library(library).entries() if each.fragment.startswith(fragment)]
    if json:
        typer.echo(jsonl.dumps({"entries": [each.model_dump(mode="json") for each in found]}))
    else:
        render.console().print(render.library_entries(found))
    if not found:
        raise typer.Exit(1)


@library_app.command("export")
def library_export(
    out: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="File to write.")],
    library: LibraryFile = None,
    json: Json = False,
) -> None:
    """Write all kernels to a file, for another machine."""
    from tritonrl.files import write_whole

    entries = _library(library).entries()
    try:
        lines = "".join(f"{jsonl.dumps(each.model_dump(mode='json'))}\n" for each in entries)
        write_whole(out, lines.encode())
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}") from error
    typer.echo(jsonl.dumps({"num_entries": len(entries), "out": str(out)}) if json else str(out))


@library_app.command("import")
def library_import(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="File that `export` wrote.")],
    library: LibraryFile = None,
    json: Json = False,
) -> None:
    """Take kernels from a file. They are judged again before they are used."""
    from tritonrl.search.library import read_rows

    count = _library(library).take(read_rows(file), str(file))
    typer.echo(jsonl.dumps({"num_new": count}) if json else f"{count} new")


@app.command()
def export(
    model: Annotated[str, typer.Argument(help="The model that comes with the package: nano.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or an empty folder.")],
    json: Json = False,
) -> None:
    """Write the model of the package as a folder in bfloat16 that transformers, TRL and vLLM load."""
    from tritonrl import render
    from tritonrl.errors import UnknownNameError
    from tritonrl.policy.nano.shipped import NAME, shipped_weights

    if model != NAME:
        raise UnknownNameError("model", model, [NAME])
    path = shipped_weights()
    with render.waiting(f"writing {folder}"):
        from tritonrl.policy.nano.export import export as write

        files = [str(each) for each in write(path, folder)]
    if json:
        typer.echo(jsonl.dumps({"model": model, "folder": str(folder), "files": files}))
    else:
        typer.echo("\n".join(files))


@app.command("eval")
def evaluate(
    suite: Annotated[str, typer.Argument(help="synth:1,2,5, modules, modules:2, a FOLDER or a FILE.jsonl.")],
    model: Annotated[
        str | None,
        typer.Option(
            help="Who answers: nano, composer, the PATH of a model, or openai:NAME.",
            show_default=DEFAULT_MODEL,
        ),
    ] = None,
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
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
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
        kept = _library(library) if search else None
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


@app.command()
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


@contextlib.contextmanager
def _keeping(lint: bool) -> Iterator[Callable[[dict[str, Any]], bool]]:
    """What `synth` keeps: everything, or what task lint calls sound."""
    if not lint:
        yield lambda row: True
        return
    from tritonrl.verify.oracle.many import keeping_sound_tasks

    with keeping_sound_tasks() as keep:
        yield keep


@app.command()
def verify(
    task: Annotated[str, typer.Argument(help="FILE.py, FILE.py:Name or FILE.jsonl:ID.")],
    candidate: Annotated[
        str, typer.Argument(help="File with the candidate's code or a model's whole answer; - is stdin.")
    ],
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    policy: Annotated[
        str, typer.Option(help="full: all work in Triton; hybrid: library operators beside it.")
    ] = "full",
    precision: Annotated[
        str, typer.Option(help="Lowest precision allowed inside a float32 task: ieee, tf32, fp16 or bf16.")
    ] = "ieee",
    target: Annotated[
        str | None, typer.Option(help="GPU that kernels are compiled for; that of the device, or sm_90.")
    ] = None,
    baseline: Annotated[
        str, typer.Option(help="What speed is compared with: eager, compile or both.")
    ] = "both",
    timing: Annotated[bool, typer.Option(help="Measure speed, where there is a GPU.")] = True,
    judge: Annotated[
        str | None, typer.Option(help="A language model that judges by the rubric too: openai:NAME.")
    ] = None,
    skip_layers: Annotated[str, typer.Option(help="Layers to leave out, separated by commas (lint).")] = "",
    require_sandbox: Annotated[
        bool, typer.Option("--require-sandbox", help="Refuse to run where a sandbox feature is missing.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Tell the whole story of the verdict.")] = False,
    json: Json = False,
) -> None:
    """Judge a kernel that somebody wrote: does it compute the task's function, on inputs it has never
    seen?"""
    from tritonrl import render
    from tritonrl.tasks import load_task
    from tritonrl.verify import Settings, Zygotes
    from tritonrl.verify.completion import read_candidate
    from tritonrl.verify.settings import choose_baseline, choose_device, choose_judge, choose_target

    device = choose_device(device)
    settings = Settings(
        device=device,
        timing=timing and device == "cuda",
        baseline=choose_baseline(baseline),
        policy=policy,
        precision=precision,
        target=choose_target(target, device),
        judge=choose_judge(judge),
        skip_layers=_names(skip_layers),
        require_sandbox=require_sandbox,
    )
    question, answer = load_task(task), read_candidate(candidate)
    with render.waiting(f"verifying {question.id}"), Zygotes() as zygotes:
        zygotes.expect(settings.device)
        # Imports torch, as the zygotes do meanwhile.
        from tritonrl.verify import verify as decide

        verdict = decide(question, answer, settings, zygotes=zygotes)
    if json:
        typer.echo(jsonl.dumps(verdict.model_dump(mode="json")))
    else:
        render.console().print(render.verdict_sheet(verdict, answer.code or "", explain, timing))
    if not verdict.accepted:
        raise typer.Exit(1)


@app.command()
def redteam(
    more: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", hidden=True)] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Families (A1), letters (A) or cases (A1/name); again for more.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    skip_layers: Annotated[str, typer.Option(help="Layers to leave out, separated by commas (lint).")] = "",
    out: Annotated[
        Path | None, typer.Option(help="JSONL file to write each case to as it is judged.")
    ] = None,
    json: Json = False,
) -> None:
    """Try the verifier: every cheat of the corpus must be caught, every honest kernel accepted. Exit 1 if
    not."""
    from tritonrl import render
    from tritonrl.redteam.corpus import corpus
    from tritonrl.redteam.matrix import CALL_SECONDS, TOTAL_SECONDS, document, try_cases
    from tritonrl.verify import Settings
    from tritonrl.verify.settings import choose_device, choose_target

    device = choose_device(device)
    settings = Settings(
        device=device,
        target=choose_target(None, device),
        timing=device == "cuda",
        skip_layers=_names(skip_layers),
        total_seconds=TOTAL_SECONDS,
        call_seconds=CALL_SECONDS,
    )
    cases = corpus(_chosen(only, more), device)
    outcomes = []
    with render.progress("cases", len(cases)) as progress, _lines(out) as write:
        for outcome in try_cases(cases, settings):
            outcomes.append(outcome)
            write(outcome.document())
            progress(len(outcomes))
    outcomes.sort(key=lambda outcome: cases.index(outcome.case))
    if json:
        typer.echo(jsonl.dumps(document(outcomes)))
    else:
        render.console().print(render.redteam_sheet(outcomes))
    if not all(outcome.is_right for outcome in outcomes):
        raise typer.Exit(1)


@app.command("judge-check")
def judge_check(
    model: Annotated[str, typer.Argument(help="The language model that is tried: openai:NAME.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", hidden=True)] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Families (A1), letters (A) or cases (A1/name); again for more.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Answers a case.")] = 1,
    price_in: Annotated[float | None, typer.Option(min=0, help="Of a million tokens read.")] = None,
    price_out: Annotated[float | None, typer.Option(min=0, help="Of a million tokens written.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSONL file of the answers; one that was interrupted is completed.")
    ] = None,
    json: Json = False,
) -> None:
    """Try a language model as the judge: how many cheats of the corpus does it let pass, how many honest
    kernels does it reject? Nothing is run. Exit 1 if it judged nothing."""
    from tritonrl import render
    from tritonrl.llm import Client, Endpoint
    from tritonrl.redteam.corpus import corpus
    from tritonrl.redteam.error_rates import document
    from tritonrl.redteam.opinions import ask_cases

    cases = corpus(_chosen(only, more), device="cuda")
    endpoint = Endpoint.named(model, price_in=price_in, price_out=price_out)
    with render.progress("answers", samples * len(cases)) as progress, Client(endpoint) as client:
        rows = ask_cases(client, cases, samples, out, progress)
        found = document(rows, client.usage)
    if json:
        typer.echo(jsonl.dumps(found))
    else:
        render.console().print(render.error_rates_sheet(found))
    if all(row.passes is None for row in rows):
        raise typer.Exit(1)


def _chosen(only: list[str] | None, more: list[str] | None) -> tuple[str, ...]:
    return tuple(name for given in (*(only or ()), *(more or ())) for name in _names(given))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@contextlib.contextmanager
def _lines(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """A function that writes a line to a file, at once; nothing without a file."""
    if path is None:
        yield lambda row: None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    with file:
        yield lambda row: print(jsonl.dumps(row), file=file, flush=True)


@tasks_app.command("lint")
def tasks_lint(
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


@tasks_app.command("list")
def tasks_list(
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


@tasks_app.command("show")
def tasks_show(
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


@app.command()
def doctor(json: Json = False) -> None:
    """Say what this machine has: versions, GPU, sandbox features, extras, and how to get what is missing."""
    from tritonrl import doctor as examination
    from tritonrl import render

    found = examination.examine()
    if json:
        typer.echo(jsonl.dumps(found.model_dump()))
    else:
        render.console().print(examination.render(found))


if __name__ == "__main__":
    main()
