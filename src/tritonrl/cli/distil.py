"""`tritonrl distil`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Json
from tritonrl.errors import UserError

if TYPE_CHECKING:
    from tritonrl.teach.manifest import Manifest


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
        _refuse(of_composer, "--teacher composer")
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
        _refuse(only, "--teacher openai:NAME")
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
            raise UserError(f"{name} is for {whose}")


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
