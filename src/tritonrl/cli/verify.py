"""`tritonrl verify`."""

from typing import Annotated

import typer

from tritonrl import jsonl
from tritonrl.cli.options import Device, Json, names


def verify(
    task: Annotated[str, typer.Argument(help="FILE.py, FILE.py:Name or FILE.jsonl:ID.")],
    candidate: Annotated[
        str, typer.Argument(help="File with the candidate's code or a model's whole answer; - is stdin.")
    ],
    device: Device = "auto",
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
        skip_layers=names(skip_layers),
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
