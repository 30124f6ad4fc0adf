"""The verifier, for the length of a run: its processes stay, its verdicts are kept, and the same code of the
same task is judged once."""

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from tritonrl.tasks import Task
from tritonrl.train.rl.recipe import Verification
from tritonrl.verify import Completion, Judged, Settings, Zygotes, verify_many
from tritonrl.verify.cache import normalised
from tritonrl.verify.pool import Hands, judging
from tritonrl.verify.settings import choose_device, choose_target

Times = Callable[[Task, Completion], float | None]
"""The speedup of an accepted answer, by a table instead of a clock: where kernels are interpreted."""


def settings(wanted: Verification) -> Settings:
    """As the recipe says, on this machine."""
    device = choose_device(wanted.device)
    return Settings(
        device=device,
        target=choose_target(None, device),
        policy=wanted.policy,
        precision=wanted.precision,
        baseline=wanted.baseline,
        judge=wanted.judge,
        timing=device == "cuda" if wanted.timing is None else wanted.timing,
        needs_plan=True,
        total_seconds=wanted.total_seconds,
    )


class Verifier(contextlib.AbstractContextManager["Verifier"]):
    def __init__(
        self,
        settings: Settings,
        cache: Path | None,
        workers: int | None = None,
        zygotes: Zygotes | None = None,
        times: Times | None = None,
    ) -> None:
        self._settings, self._cache, self._workers = settings, cache, workers
        self._zygotes, self._times = zygotes, times
        self.is_timed = settings.timing or times is not None
        """Whether right answers have a speed."""
        self._stack = contextlib.ExitStack()
        self._hands: Hands | None = None

    def __exit__(self, *_: object) -> None:
        self._hands = None
        self._stack.close()

    def judge(self, tasks: Sequence[Task], answers: Sequence[str]) -> list[Judged]:
        """An outcome for each answer, in order."""
        completions = [Completion.parse(each) for each in answers]
        keys = [_key(*pair) for pair in zip(tasks, completions, strict=True)]
        places = {key: place for place, key in reversed(list(enumerate(keys)))}
        first = sorted(places.values())  # answers to a task stay beside each other
        found: dict[int, Judged] = {}
        for judged in verify_many(
            [tasks[place] for place in first], [completions[place] for place in first], self._settings,
            workers=self._workers, cache=self._cache, hands=self,
        ):  # fmt: skip
            found[first[judged.number]] = judged
        return [self._timed(found[places[key]], each) for key, each in zip(keys, completions, strict=True)]

    def submit(
        self, number: int, task: Task, candidate: Completion, settings: Settings | None = None
    ) -> Future[Judged]:
        """To the judges, who are called when there is something that no verdict was kept of."""
        if self._hands is None:
            ready = judging(self._settings, workers=self._workers, zygotes=self._zygotes)
            self._hands = self._stack.enter_context(ready)
        return self._hands.submit(number, task, candidate, settings)

    def _timed(self, judged: Judged, completion: Completion) -> Judged:
        if self._times is None or judged.verdict is None or not judged.verdict.accepted:
            return judged
        speedup = self._times(judged.task, completion)
        return Judged(judged.number, judged.task, judged.verdict.model_copy(update={"speedup": speedup}))


def _key(task: Task, completion: Completion) -> tuple[str, bool, str | None]:
    return task.source, completion.plan is not None, normalised(completion.code)
