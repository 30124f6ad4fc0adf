"""A case: one candidate on one task, and all that is known of it so far.

The layers fill it in one after the other; the Verdict is read off it in the end.
"""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from tritonrl.llm import Client
from tritonrl.tasks import Task
from tritonrl.verify.completion import Completion
from tritonrl.verify.kernels import Specialisation
from tritonrl.verify.log import Log
from tritonrl.verify.oracle.exam import Draw, Exam
from tritonrl.verify.oracle.oracle import CONTEXT_BYTES, Oracle
from tritonrl.verify.replaying import Replay
from tritonrl.verify.roles import says_full
from tritonrl.verify.sandbox import Report
from tritonrl.verify.session import Answer, Session
from tritonrl.verify.settings import Settings
from tritonrl.verify.turns import Turns
from tritonrl.verify.verdict import Finding, Timing
from tritonrl.verify.zygotes import Zygotes

WORTH_TELLING_SECONDS = 0.1
QUESTIONS_AT_ONCE = 5
"""What a candidate takes of a device, with all processes that look at it: so many times a question with its
answer."""
NUM_HELD_PROCESSES = 3
"""While it waits for its turn to be timed: its own, that of the reference, and that which repeats its log."""
LEAST_FREE_BYTES = 2 * 2**30


@dataclass
class Case:
    """One verification as it goes along."""

    task: Task
    completion: Completion
    settings: Settings
    zygotes: Zygotes
    oracle: Oracle
    model: Client | None = None
    """The language model that judges, where one is asked for."""
    needed_bytes: int = 0
    """Of the device's memory."""
    spent: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    """Of the device's budget."""
    session: Session | None = None
    replay: Replay | None = None
    first: list[tuple[Draw, Answer]] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    """What the layer in progress has to tell."""
    notes: list[Finding] = field(default_factory=list)
    replaced: bool | None = None
    sandbox: Report | None = None
    failed_call: Exception | None = None
    is_correct: bool = False
    allclose: bool | None = None
    coverage: float | None = None
    timed_log: Log | None = None
    """What a call does when it is timed."""
    timing: Timing | None = None
    compiled: list[Specialisation] = field(default_factory=list)
    """What was compiled on demand and not told of yet."""
    has_failed: bool = False
    """Whether the candidate gave no answer."""
    found_full: bool = False
    """Whether the device had no memory left then."""
    not_judged: bool = False
    """Whether the language model gave no opinion."""
    gpu_only: bool = False
    """Whether it did what kernels can do on a GPU only, where they are interpreted."""
    undecided: bool = False
    """Whether a wrong answer could not be repeated, so that nothing is known of how it was made."""

    @property
    def code(self) -> str:
        assert self.completion.code is not None
        return self.completion.code

    @property
    def turns(self) -> Turns:
        return self.zygotes.turns(self.settings.device)

    def close_replay(self) -> None:
        if self.replay is not None:
            self.replay.close()
            self.replay = None

    def close(self) -> None:
        self.close_replay()
        if self.session is not None:
            self.session.close()
        self.spent.close()
        self.failed_call = None  # its frames know this case

    def prepare(self) -> None:
        """Write the exam, once a task, and wait for memory on the device: before the clock of the first
        layer that needs them starts."""
        began = time.perf_counter()
        count = len(self.exam.draws)
        if self.settings.device != "cpu":
            self.needed_bytes = _needed_bytes(self.exam.draws[0], self.settings)
            with self.turns.apart():
                self.spent.enter_context(self.zygotes.budget(self.settings.device).spent(self.needed_bytes))
            if is_full(self.settings.device, self.needed_bytes):
                torch.cuda.empty_cache()  # what PyTorch keeps for later is wanted now
        if (seconds := time.perf_counter() - began) > WORTH_TELLING_SECONDS:
            self.story.append(f"{count} questions were prepared in {seconds:.1f} s")

    @property
    def exam(self) -> Exam:
        return self.oracle.exam(replace_weights=self.replaced is not False)


def _needed_bytes(draw: Draw, settings: Settings) -> int:
    """Of a device's memory, for a candidate and all that is done with it."""
    needed = QUESTIONS_AT_ONCE * draw.size_bytes
    if settings.timing:
        from tritonrl.verify.timing.sets import timed_bytes

        needed += NUM_HELD_PROCESSES * CONTEXT_BYTES + timed_bytes(draw)
    return needed


def is_full(device: str, needed_bytes: int = 0, error: Mapping[str, Any] | None = None) -> bool:
    """Whether a GPU has no room for a candidate, or had none when it raised: who had the memory then may have
    given it back since."""
    if device == "cpu":
        return False
    had_none = error is not None and says_full(error)
    return had_none or torch.cuda.mem_get_info(device)[0] < LEAST_FREE_BYTES + needed_bytes
