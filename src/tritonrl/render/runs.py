"""Runs of training: while they go on, and what they came to."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tritonrl.render.screen import bars

if TYPE_CHECKING:
    from tritonrl.train.log import Logged
    from tritonrl.train.rl.records import Logged as Generation
    from tritonrl.train.rl.records import Look

SHOWN_GENERATIONS = 15


@contextmanager
def training(num_steps: int) -> Iterator[Callable[["Logged"], None]]:
    """A bar of steps with the loss beside it."""
    with bars() as bar:
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
