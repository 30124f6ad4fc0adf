"""The log of a training run: a line every few steps, a picture of the loss, and an end in good order."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from tritonrl import jsonl
from tritonrl.train.interrupt import Interrupt

LOG, PICTURE = "log.jsonl", "loss.png"


@dataclass(frozen=True)
class Logged:
    """Where a run stands."""

    step: int
    num_steps: int
    loss: float
    token_accuracy: float | None
    """Share of the answers' tokens that were the likeliest."""
    learning_rate: float
    num_tokens: int
    """Since the run began."""
    seconds: float
    """In training, with the time of an earlier process that the run goes on from."""


class Logbook(contextlib.AbstractContextManager["Logbook"]):
    """Writes the log of a run. While it is open, an interrupt ends the run after its step, with a
    checkpoint; a second one ends it at once."""

    def __init__(self, folder: Path, tokens_a_step: int, hear: Callable[[Logged], None]) -> None:
        self._path, self._hear = folder / LOG, hear
        self.folder, self._tokens_a_step = folder, tokens_a_step
        self._interrupt = Interrupt()
        self.callback = _Callback(self)

    def __enter__(self) -> "Logbook":
        if self._path.exists():
            jsonl.drop_torn_tail(self._path)
        self._began = time.monotonic() - max((each.seconds for each in read(self.folder)), default=0.0)
        self._interrupt.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._interrupt.__exit__()
        draw(self.folder)

    @property
    def seconds(self) -> float:
        """In training, with those of earlier processes."""
        return time.monotonic() - self._began

    @property
    def is_to_stop(self) -> bool:
        return self._interrupt.has_come

    def write(self, state: Any, logs: dict[str, Any]) -> None:
        if "loss" not in logs:
            return  # the summary at the end
        logged = Logged(
            step=state.global_step,
            num_steps=state.max_steps,
            loss=float(logs["loss"]),
            token_accuracy=logs.get("mean_token_accuracy"),
            learning_rate=float(logs["learning_rate"]),
            num_tokens=state.global_step * self._tokens_a_step,
            seconds=round(self.seconds, 2),
        )
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{jsonl.dumps(asdict(logged))}\n")
        self._hear(logged)


class _Callback(TrainerCallback):
    def __init__(self, logbook: Logbook) -> None:
        self._logbook = logbook

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        self._logbook.write(state, logs or {})

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        control.should_log |= state.global_step >= state.max_steps
        if self._logbook.is_to_stop:
            control.should_save = control.should_training_stop = True


def read(folder: Path) -> list[Logged]:
    """What a run has logged; of a step that was trained twice, after a resume, the last."""
    path = folder / LOG
    lines = [Logged(**row) for _, row in jsonl.read(path)] if path.exists() else []
    return sorted({each.step: each for each in lines}.values(), key=lambda each: each.step)


def draw(folder: Path) -> None:
    """The picture of the loss, if there is something to show."""
    logged = read(folder)
    if not logged:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.plot([each.step for each in logged], [each.loss for each in logged], linewidth=1)
    axes.set(xlabel="step", ylabel="loss of an answer's token", yscale="log", title=folder.name)
    axes.grid(alpha=0.3)
    figure.savefig(folder / PICTURE, dpi=120)
