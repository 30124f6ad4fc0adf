"""A picture of where the time went: before and after, fragment by fragment, and how the search got there."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tritonrl.search.found import Found
from tritonrl.search.fragments.piece import Place

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b65a94", "#b8860b", "#4a5fc1")
"""Of fragments, in order, then again from the first; told apart by those who see fewer colours."""
REST = "#c3c9d2"
LONGEST_NAME = 40


def picture(found: Found) -> bytes | None:
    """A PNG; None where nothing was measured, or the program was not taken to pieces."""
    best = found.best
    parts = found.sets.get(best.sample, ()) if best else ()
    timing = best and best.verdict and best.verdict.timing
    eager = timing and timing.baselines.get("eager")
    if not parts or not timing or not eager:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    bars, course = figure.subplots(2, 1, height_ratios=[3, 2])
    _bars(bars, parts, eager.wall_us, timing.wall_us)
    _course(course, found.history)
    figure.suptitle(found.task.id, parse_math=False)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()


def _bars(axes: "Axes", parts: Sequence[Place], before_us: float, after_us: float) -> None:
    """Two bars of the same operators: by PyTorch, and as they are now. What no fragment has is PyTorch's."""
    times = [each.piece.kernel.times_us or (0.0, 0.0) for each in parts if each.piece.kernel]
    ends = [0.0, 0.0]
    for number, (each, pair) in enumerate(zip(parts, times, strict=True)):
        colour, name = COLOURS[number % len(COLOURS)], each.name
        short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        axes.barh([1, 0], pair, left=ends, color=colour, edgecolor="white", label=short)
        ends = [end + time for end, time in zip(ends, pair, strict=True)]
    rest = [max(0.0, whole - end) for whole, end in zip((before_us, after_us), ends, strict=True)]
    axes.barh([1, 0], rest, left=ends, color=REST, edgecolor="white", label="stays PyTorch")
    axes.set_yticks([1, 0], [f"before: {before_us:.0f} µs", f"after: {after_us:.0f} µs"])
    axes.set_xlabel("µs a call")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _course(axes: "Axes", history: Sequence[tuple[float, float]]) -> None:
    seconds, speedups = zip(*history, strict=True) if history else ((0.0,), (1.0,))
    axes.step([*seconds, max(1.0, 1.1 * seconds[-1])], [*speedups, speedups[-1]], where="post")
    axes.plot(seconds, speedups, "o", color="#0072b2")
    axes.set(xlabel="seconds of search", ylabel="best speedup", xlim=(0, None))
    axes.grid(alpha=0.3)
