"""A run that has only so much time: the rate begins to fall early enough for the run to end in time.

Until then it is a run of `num_steps`, so that nobody need know beforehand how long a step takes. When the
fall begins the log has a line with what `num_steps` is from there on; a run that goes on finds it there.
"""

from collections import deque
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

from transformers import TrainerCallback

from tritonrl.train.log import Logbook, read

RECENT = 50
"""Steps whose median the next ones are expected to take: the first wait for compilers, a few for data."""


class InTime(TrainerCallback):
    def __init__(self, logbook: Logbook, max_seconds: float, decay_steps: int) -> None:
        self._logbook, self._max_seconds, self._decay_steps = logbook, max_seconds, max(1, decay_steps)
        self._ends: deque[float] = deque(maxlen=RECENT)

    def on_train_begin(self, args: Any, state: Any, control: Any, lr_scheduler: Any = None, **_: Any) -> None:
        logged = [each for each in read(self._logbook.folder) if each.step <= state.global_step]
        if logged and logged[-1].num_steps < state.max_steps:
            self._end_at(logged[-1].num_steps, state, lr_scheduler)

    def on_step_end(self, args: Any, state: Any, control: Any, lr_scheduler: Any = None, **_: Any) -> None:
        self._ends.append(self._logbook.seconds)
        is_falling = state.max_steps - state.global_step <= self._decay_steps
        is_late = self._ends[-1] >= self._max_seconds
        if is_falling or len(self._ends) < (2 if is_late else RECENT):
            return
        step_seconds = median(end - start for start, end in pairwise(self._ends))
        if self._ends[-1] + self._decay_steps * step_seconds >= self._max_seconds:
            self._end_at(state.global_step + self._decay_steps, state, lr_scheduler)
            control.should_log = True

    def _end_at(self, num_steps: int, state: Any, lr_scheduler: Any) -> None:
        cut = state.max_steps - num_steps
        state.max_steps = num_steps
        lr_scheduler.lr_lambdas = [_cut(each, cut) for each in lr_scheduler.lr_lambdas]


def _cut(rate: Any, num_steps: int) -> Any:
    """The same warm-up and fall, with so many steps fewer between them."""
    stable = rate.keywords["num_stable_steps"] - num_steps
    return partial(rate.func, **rate.keywords | {"num_stable_steps": stable})
